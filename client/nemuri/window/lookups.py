"""Looking up what an address or a form names."""

from collections.abc import Awaitable
from typing import TypeVar
from uuid import UUID

from starlette.requests import Request

from nemuri.client.exchange import ClientError
from nemuri.web.problems import Problem

T = TypeVar("T")


async def found(answer: Awaitable[T]) -> T:
    """Return the answer about a thing that the address names. Raises `Problem` 404 if there is no such thing."""
    try:
        return await answer
    except ClientError as error:
        if type(error) is ClientError:  # its subclasses say that the platform cannot answer
            raise Problem(404, str(error)) from error
        raise


def uuid_in_path(request: Request, name: str) -> UUID:
    """Return the id in the path of a request. Raises `Problem` 404 if it is no id."""
    text: str = request.path_params[name]
    try:
        return UUID(text)
    except ValueError as error:
        raise Problem(404, f"{text[:80]!r} is no id") from error


def number_in_query(request: Request, name: str) -> int | None:
    """Return a whole number from the query of an address; None if it is missing. Raises `Problem` 422."""
    text = request.query_params.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise Problem(422, f"{name} must be a whole number, not {text[:80]!r}")
    return int(text)
