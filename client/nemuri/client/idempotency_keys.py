"""Idempotency keys: what a client says again under the same key is said once (docs/decisions/0058)."""

from typing import Annotated
from uuid import UUID, uuid3, uuid4

from pydantic import Field

from nemuri.client.exchange import ClientError, Exchange
from nemuri_contracts.codec import digest
from nemuri_contracts.event import DERIVED, NAMESPACE, ClientEvent, Label
from nemuri_contracts.memory_views import EventView
from nemuri_contracts.queries import EventQuery

Key = Annotated[Label, Field(strict=True)] | UUID | None
"""A name of the client's own choice, or an id that is not of version 5; None says something new every time."""


def named(exchange: Exchange, key: str | UUID | None, *about: str) -> UUID:
    """Return the id of the event that a client says about something under a key, a fresh one without a key.

    A UUID is the id itself. Raises `ClientError` for one of version 5, which only the platform derives.
    """
    if key is None:
        return uuid4()
    if isinstance(key, UUID):
        if key.version == DERIVED:
            raise ClientError("the key must be a UUID of another version than 5, for example one of uuid4()")
        return key
    # version 3, for ids of version 5 are the platform's own
    return uuid3(NAMESPACE, "/".join((exchange.client_id, *about, key)))


async def say_once(exchange: Exchange, event: ClientEvent, key: str | UUID | None) -> None:
    """Say an event; under a key it is said once, however often it is repeated.

    Raises `ClientError` where something else was said under the key before, and then nothing is said. Whoever says
    something else under it in the same moment is told so too, by what counts then.
    """
    if not await is_said(exchange, event, key):
        await exchange.say(event)
        await is_said(exchange, event, key)


async def is_said(exchange: Exchange, event: ClientEvent, key: str | UUID | None) -> bool:
    """Return whether the event was said already; False without a key.

    Raises `ClientError` where something else was said under the key, or what was said is erased.
    """
    if key is None:
        return False
    first = await exchange.ask(EventQuery, EventView, event_id=event.event_id)
    if first.sequence is None:
        return False
    exchange.seen = max(exchange.seen, first.sequence)
    if first.digest != digest(event.model_copy(update={"client_id": exchange.client_id})):
        raise ClientError(f"something else was said under the key {str(key)!r} before; choose another key")
    return True
