"""Fields of addresses and forms, read and checked."""

from collections.abc import Awaitable
from typing import TypeVar
from uuid import UUID

from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request

from nemuri.client.exchange import ClientError, NotPermitted, PassingError
from nemuri.web.problems import Problem
from nemuri_contracts.event import Identifier

T = TypeVar("T")


def agent_in_path(request: Request) -> str:
    """Return the agent that the path names. Raises `Problem` 404 if it is no name of an agent."""
    name: str = request.path_params["agent"]
    try:
        return TypeAdapter(Identifier).validate_python(name)
    except ValidationError as error:
        raise Problem(404, f"{name!r:.80} is no name of an agent") from error


def id_in_path(request: Request, name: str) -> UUID:
    """Return the id that the path names. Raises `Problem` 404 if it is no id."""
    text: str = request.path_params[name]
    try:
        return UUID(text)
    except ValueError as error:
        raise Problem(404, f"{text!r:.80} is no id of a {name}") from error


def chosen(request: Request, name: str, choices: tuple[T, ...]) -> T:
    """Return one of the choices: the one that the address names, otherwise the first."""
    given = request.query_params.get(name)
    return next((each for each in choices if each == given), choices[0])


def text_of(request: Request, name: str) -> str | None:
    """Return a field of the address without spaces around it; None if it is empty or missing."""
    return request.query_params.get(name, "").strip() or None


def number_of(request: Request, name: str) -> int | None:
    """Return a field of the address as a positive number; None if it is missing or is no such number."""
    text = request.query_params.get(name, "")
    return int(text) if text.isdecimal() and 0 < len(text) < 16 and int(text) else None


async def form_text(request: Request, name: str) -> str:
    """Return a field of a form without spaces around it; "" if it is missing."""
    value = (await request.form()).get(name)
    return value.strip() if isinstance(value, str) else ""


async def known(answer: Awaitable[T]) -> T:
    """Return an answer about one thing. Raises `Problem` 404 if the platform does not know the thing."""
    try:
        return await answer
    except (PassingError, NotPermitted):
        raise
    except ClientError as error:
        raise Problem(404, str(error)) from error


async def if_known(answer: Awaitable[T]) -> T | None:
    """Return an answer about one thing; None if the platform does not know the thing."""
    try:
        return await known(answer)
    except Problem:
        return None
