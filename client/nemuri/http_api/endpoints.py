"""Endpoints of the HTTP API. Each is one function; its annotations say what it takes and what it returns."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, get_type_hints

from pydantic import BaseModel, TypeAdapter

Handler = Callable[..., Awaitable[Any]]
H = TypeVar("H", bound=Handler)
JSON = "application/json"
PROBLEM = "application/problem+json"
EVENT_STREAM = "text/event-stream"
JSON_LINES = "application/x-ndjson"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method of one path."""

    method: str
    path: str
    """Path under the root of the API, with the names of its parameters in braces."""
    function: Handler
    resource: str
    status: int
    """Status of a successful answer."""
    operator: bool
    """True if only the operator may call it."""
    keyed: bool
    """True if it takes an idempotency key."""
    located: bool
    """True if a successful answer has a `Location` header."""
    parameters: Mapping[str, TypeAdapter[Any]]
    """Parameters of the path, by name."""
    query: type[BaseModel] | None
    """Model of the query parameters; None if it takes none."""
    body: Any
    """Model of the body; None if it takes none. A model of forms has a method `of_form`."""
    answer: type[BaseModel] | None
    """Model of a successful answer; None for an empty one, or for a stream of `media`."""
    media: str
    """Media type of a successful answer."""
    accepts: tuple[str, ...]
    """Media types of the body."""
    alternatives: tuple[int, ...]
    """Further statuses of a successful answer."""

    @property
    def name(self) -> str:
        """Return the name of the operation."""
        return self.function.__name__

    @property
    def writes(self) -> bool:
        """Return True if the method may change something."""
        return self.method != "GET"


@dataclass(frozen=True, slots=True)
class Resource:
    """A group of endpoints about one kind of thing."""

    name: str
    about: str
    """One sentence for the description of the API."""
    endpoints: list[Endpoint] = field(default_factory=list)

    def get(self, path: str, **options: Any) -> Callable[[H], H]:
        """Make a function the handler of GET requests. The options are those of `on`."""
        return self.on("GET", path, **options)

    def post(self, path: str, **options: Any) -> Callable[[H], H]:
        """Make a function the handler of POST requests. The options are those of `on`."""
        return self.on("POST", path, **options)

    def put(self, path: str, **options: Any) -> Callable[[H], H]:
        """Make a function the handler of PUT requests. The options are those of `on`."""
        return self.on("PUT", path, **options)

    def delete(self, path: str, **options: Any) -> Callable[[H], H]:
        """Make a function the handler of DELETE requests. The options are those of `on`."""
        return self.on("DELETE", path, **options)

    def on(
        self,
        method: str,
        path: str,
        *,
        status: int = 200,
        operator: bool = False,
        keyed: bool = False,
        located: bool = False,
        media: str = JSON,
        accepts: tuple[str, ...] = (JSON,),
        alternatives: tuple[int, ...] = (),
    ) -> Callable[[H], H]:
        """Make a function the handler of a method of a path.

        The function gets the call, the parameters of the path by name, and as `query` and `body` the models that it
        annotates. It returns a model, None for an empty answer, or a response of Starlette for a stream.

        Args:
            method: Method of the requests.
            path: Path under the root of the API.
            status: Status of a successful answer.
            operator: Only the operator may call it.
            keyed: It takes an idempotency key.
            located: A successful answer has a `Location` header.
            media: Media type of a successful answer.
            accepts: Media types of the body.
            alternatives: Further statuses of a successful answer.
        """

        def register(function: H) -> H:
            hints = get_type_hints(function, include_extras=True)
            answer = hints.pop("return", None)
            del hints["call"]
            query, body = hints.pop("query", None), hints.pop("body", None)
            endpoint = Endpoint(
                method=method,
                path=path,
                function=function,
                resource=self.name,
                status=status,
                operator=operator,
                keyed=keyed,
                located=located,
                parameters={name: TypeAdapter(hint) for name, hint in hints.items()},
                query=query,
                body=body,
                answer=answer if inspect.isclass(answer) and issubclass(answer, BaseModel) else None,
                media=media,
                accepts=accepts,
                alternatives=alternatives,
            )
            self.endpoints.append(endpoint)
            return function

        return register
