"""Fields of addresses and forms, read and checked."""

from collections.abc import Awaitable
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request

from nemuri.web.problems import Problem
from nemuri.window.lookups import found
from nemuri_contracts.event import Identifier

T = TypeVar("T")


def agent_in_path(request: Request) -> str:
    """Return the agent that the path names. Raises `Problem` 404 if it is no name of an agent."""
    name: str = request.path_params["agent"]
    try:
        return TypeAdapter(Identifier).validate_python(name)
    except ValidationError as error:
        raise Problem(404, f"{name!r:.80} is no name of an agent") from error


def chosen(request: Request, name: str, choices: tuple[T, ...]) -> T:
    """Return one of the choices: the one that the address names, otherwise the first."""
    given = request.query_params.get(name)
    return next((choice for choice in choices if choice == given), choices[0])


def text_of(request: Request, name: str) -> str | None:
    """Return a field of the address without spaces around it; None if it is empty or missing."""
    return request.query_params.get(name, "").strip() or None


async def form_text(request: Request, name: str) -> str:
    """Return a field of a form without spaces around it; "" if it is missing."""
    value = (await request.form()).get(name)
    return value.strip() if isinstance(value, str) else ""


async def if_known(answer: Awaitable[T]) -> T | None:
    """Return an answer about one thing; None if the platform does not know the thing."""
    try:
        return await found(answer)
    except Problem:
        return None
