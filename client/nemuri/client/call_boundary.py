"""The guard around every public method of the client: argument checks, a deadline and one family of errors."""

import asyncio
import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, get_args, get_type_hints

from nats.errors import Error as NatsError
from pydantic import ConfigDict, ValidationError, validate_call

from nemuri.client.deadlines import Expired, is_over, within
from nemuri.client.exchange import CallTimeoutError, ClientError
from nemuri.client.keyword_types import OPTIONS, documented, keywords_of
from nemuri_contracts.codec import validation_message
from nemuri_contracts.event import Options
from nemuri_infra.bus.event_log import ConflictError, TooLargeError

T = TypeVar("T")
OWN_LIMIT = "timeout"
"""Name of the parameter of a method that limits its own time. The guard adds no time limit to such a method."""
_CONFIG = ConfigDict(strict=True, allow_inf_nan=False, arbitrary_types_allowed=True)


def guard_methods(kind: type[T]) -> type[T]:
    """Wrap every public coroutine method of a class in checks, and return the class.

    The instances of the class need `_exchange` and `limit`. A wrapped method refuses arguments that do not match its
    annotations. It ends within `limit` seconds, unless it has a parameter `timeout` (`OWN_LIMIT`). It raises only
    `ClientError`, besides TypeError for unknown arguments. If a method takes the options of an operation, its signature
    and its documentation name them.
    """
    for name, method in [*vars(kind).items()]:
        if not name.startswith("_") and inspect.iscoroutinefunction(method):
            setattr(kind, name, _guarded(method))
    return kind


def _guarded(method: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Coroutine[Any, Any, Any]]:
    signature, model = _signature(method)
    own_limit = OWN_LIMIT in signature.parameters

    @functools.wraps(method)
    def begun(*args: Any, **kwargs: Any) -> Coroutine[Any, Any, Any]:
        return method(*args, **kwargs)

    @functools.cache
    def validated() -> Callable[..., Coroutine[Any, Any, Any]]:
        return validate_call(config=_CONFIG)(
            begun
        )  # Built at the first call, because a program uses few of the methods.

    @functools.wraps(method)
    async def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        given = dict([*signature.bind(self, *args, **kwargs).arguments.items()][1:])
        try:
            work = validated()(self, **given)
        except ValidationError as error:
            raise ClientError(validation_message(error)) from error
        exchange, limit = self._exchange, None if own_limit else self.limit
        try:
            async with within(limit):
                return await work
        except ClientError:
            raise
        except Expired as error:
            if is_over():
                raise  # An outer call is over too and raises its own error.
            raise CallTimeoutError(f"{method.__name__} did not end within {limit:g} s") from error
        except (NatsError, OSError, EOFError, asyncio.InvalidStateError, ConflictError, TooLargeError) as error:
            raise exchange.failure(error) from error
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling() or not exchange.closed:
                raise
            raise exchange.failure(error) from error  # The NATS driver cancels calls that wait on a closed connection.

    call.__signature__ = signature  # type: ignore[attr-defined]
    if model is not None:
        call.__doc__ = documented(method.__doc__ or "", model)
    return call


def _signature(method: Callable[..., Any]) -> tuple[inspect.Signature, type[Options] | None]:
    """Return the signature of a method with each option of its operation, and the operation's options, if any."""
    signature = inspect.signature(method)
    [*named, last] = signature.parameters.values()
    if last.kind is not last.VAR_KEYWORD:
        return signature, None
    [keywords] = get_args(last.annotation)
    model, types = OPTIONS[keywords.__name__], get_type_hints(keywords, include_extras=True)
    options = [
        last.replace(
            name=name,
            kind=last.KEYWORD_ONLY,
            default=field.get_default(call_default_factory=True),
            annotation=types[name],
        )
        for name, field in keywords_of(model).items()
    ]
    return signature.replace(parameters=[*named, *options]), model
