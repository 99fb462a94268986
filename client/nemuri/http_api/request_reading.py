"""Reading of requests: parameters of the path and of the query, idempotency keys and bodies of bounded size."""

import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from starlette.requests import Request

from nemuri.client.operations import is_list, is_mapping, named_values, singular
from nemuri.http_api.endpoints import JSON, JSON_LINES, Endpoint
from nemuri.web.problems import Problem
from nemuri_contracts.codec import validation_message

M = TypeVar("M", bound=BaseModel)
MAX_BODY_BYTES = 16 * 1024 * 1024
"""Maximum size of a body in bytes. A stream of JSON lines may be longer; each of its lines may not."""
KEY_HEADER = "Idempotency-Key"
KEY = re.compile(r"[!-~]{1,200}")
"""Form of an idempotency key."""


def path_values(endpoint: Endpoint, request: Request) -> dict[str, Any]:
    """Return the parameters of the path. Raises `Problem` 422."""
    found = dict[str, Any]()
    for name, kind in endpoint.parameters.items():
        try:
            found[name] = kind.validate_python(request.path_params[name])
        except ValidationError as error:
            raise Problem(422, f"{name}: {_without_place(error)}") from error
    return found


def query_values(endpoint: Endpoint, request: Request) -> dict[str, Any]:
    """Return the model of the query parameters as the argument `query`. Raises `Problem` 422, also for unknown ones."""
    kind = endpoint.query
    known = (
        {singular(name, known_field): (name, known_field) for name, known_field in kind.model_fields.items()}
        if kind
        else {}
    )
    given = dict[str, Any]()
    for parameter in request.query_params:
        if parameter not in known:
            raise Problem(422, f"there is no query parameter {parameter!r:.80}; {_choice(known)}")
        values, (name, field) = request.query_params.getlist(parameter), known[parameter]
        if is_list(field):
            given[name] = values
        elif is_mapping(field):
            try:
                given[name] = named_values(values, field)
            except ValueError as error:
                raise Problem(422, f"{parameter}: {error}") from error
        elif len(values) > 1:
            raise Problem(422, f"{parameter}: it is given {len(values)} times; give it once")
        else:
            given[name] = literal(values[0], field)
    return {} if kind is None else {"query": _checked(kind, given)}


async def body_values(endpoint: Endpoint, request: Request) -> dict[str, Any]:
    """Return the model of the body as the argument `body`. Raises `Problem` 413, 415 or 422."""
    kind, given = endpoint.body, media_type(request)
    if kind is None:
        return {}
    if given not in endpoint.accepts:
        raise Problem(415, f"the body must be {' or '.join(endpoint.accepts)}")
    if given == JSON_LINES:
        return {"body": kind()}  # the handler reads the lines as they come
    if given != JSON:
        return {"body": await kind.of_form(request)}
    data = await bounded_body(request)
    try:
        return {"body": _read(kind, data)}
    except ValidationError as error:
        raise problem_in(error) from error


def _read(kind: type[M], data: bytes) -> M:
    """Return the model in JSON. A whole number may be written with a fraction of zero, as JSON Schema allows it."""
    try:
        return kind.model_validate_json(data, strict=True)
    except ValidationError as error:
        if all(fault["type"] != "int_type" for fault in error.errors()):
            raise
        return kind.model_validate_json(json.dumps(json.loads(data, parse_float=_whole)), strict=True)


def _whole(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() and abs(value) <= 2**53 else value


async def bounded_body(request: Request) -> bytes:
    """Return the body. Raises `Problem` 413 if it is longer than `MAX_BODY_BYTES`."""
    said = request.headers.get("content-length", "0")
    too_long = Problem(413, f"the body is longer than {MAX_BODY_BYTES} bytes")
    if said.isdecimal() and int(said[:20]) > MAX_BODY_BYTES:
        raise too_long
    parts, size = list[bytes](), 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY_BYTES:
            raise too_long
        parts.append(part)
    return b"".join(parts)


def idempotency_key(request: Request) -> str | None:
    """Return the idempotency key of a request; None if it has none. Raises `Problem` 422 for one of another form."""
    key = request.headers.get(KEY_HEADER)
    if key is not None and not KEY.fullmatch(key):
        raise Problem(422, f"{KEY_HEADER}: write 1 to 200 visible ASCII characters without spaces")
    return key


def media_type(request: Request) -> str:
    """Return the media type of a request's body, without parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def problem_in(error: ValidationError) -> Problem:
    """Return the problem of a request that is refused.

    It is 422 if the request does not have the published form, and 409 if it has and is refused nevertheless.
    """
    beyond_the_form = all(fault["type"] == "value_error" for fault in error.errors())
    return Problem(409 if beyond_the_form else 422, message_of(error))


def message_of(error: ValidationError) -> str:
    """Return a validation error in one line. Unknown fields are named."""
    for fault in error.errors():
        if fault["type"] == "extra_forbidden":
            return f"there is no field {'.'.join(map(str, fault['loc']))!r:.80}; check its spelling"
    return validation_message(error)


def _checked(kind: type[M], given: Mapping[str, Any]) -> M:
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise problem_in(error) from error


def literal(text: str, about: FieldInfo) -> Any:
    """Return the value of a query parameter: a number or a flag is written as in JSON, anything else is text."""
    if not {int, float, bool}.intersection((about.annotation, *get_args(about.annotation))):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, int | float) else text


def _choice(known: Mapping[str, Any]) -> str:
    return f"there are {', '.join(sorted(known))}" if known else "this address takes none"


def _without_place(error: ValidationError) -> str:
    return validation_message(error).removeprefix(": ")
