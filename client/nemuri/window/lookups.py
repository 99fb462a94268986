"""Looking up what an address or a form names."""

import re
from collections.abc import Awaitable
from typing import TypeVar
from uuid import UUID

from starlette.requests import Request

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError, NotPermitted, PassingError
from nemuri.web.problems import Problem
from nemuri_contracts.memory_views import AgentView

T = TypeVar("T")
MAX_CHOICES = 300
"""Maximum number of agents that a page offers to choose from. Otherwise a name is typed."""


async def found(answer: Awaitable[T]) -> T:
    """Return the answer about a thing that the address names. Raises `Problem` 404 if there is no such thing."""
    try:
        return await answer
    except ClientError as error:
        refuse_if_passing(error)
        raise Problem(404, str(error)) from error


def refuse_if_passing(error: ClientError) -> None:
    """Raise the error again if it says nothing about the request: the platform is away, or the client has no right."""
    if isinstance(error, PassingError | NotPermitted):
        raise error


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
    if (number := whole_number(text)) is None:
        raise Problem(422, f"{name} must be a whole number, not {text[:80]!r}")
    return number


def whole_number(text: str) -> int | None:
    """Return the number that a text of at most 15 digits is; None for another text."""
    return int(text) if re.fullmatch(r"[0-9]{1,15}", text) else None


async def agents_to_choose(client: Client) -> tuple[AgentView, ...]:
    """Return all agents, to choose one of them; none if there are more than a person can choose from."""
    return await client.agents() if (await client.status()).agents <= MAX_CHOICES else ()
