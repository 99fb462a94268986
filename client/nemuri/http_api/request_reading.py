"""Reading of requests: parameters of the path and of the query, idempotency keys and bodies of bounded size."""

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from nemuri.http_api.endpoints import JSON, JSON_LINES, Endpoint
from nemuri.web.problems import Problem, problem_in
from nemuri.web.query_options import options_in
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
    if endpoint.query is None and request.query_params:
        raise Problem(422, f"there is no query parameter {next(iter(request.query_params))!r:.80}; there are none")
    if endpoint.query is None:
        return {}
    return {"query": options_in(request.query_params.multi_items(), endpoint.query)}


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


def _without_place(error: ValidationError) -> str:
    return validation_message(error).removeprefix(": ")
