"""Idempotency keys: an event is appended once under a key, however often it is sent (docs/decisions/0058)."""

from typing import Annotated
from uuid import UUID, uuid3, uuid4

from pydantic import Field

from nemuri.client.exchange import ClientError, Exchange
from nemuri_contracts.codec import digest
from nemuri_contracts.event import DERIVED, NAMESPACE, ClientEvent, Label
from nemuri_contracts.memory_views import EventView
from nemuri_contracts.queries import EventQuery

Key = Annotated[Label, Field(strict=True)] | UUID | None
"""A name chosen by the client, or a UUID of another version than 5. None makes each call append a new event."""


def event_id_of(exchange: Exchange, key: str | UUID | None, *about: str) -> UUID:
    """Return the id of the event that a client sends under a key, or a random id without a key.

    See `event_id_under` for the keys. Raises `ClientError` for a UUID of version 5.
    """
    return uuid4() if key is None else event_id_under(exchange.client_id, key, *about)


def event_id_under(client_id: str, key: str | UUID, *about: str) -> UUID:
    """Return the id of the event that this client sends under a key.

    The parts `about` keep equal keys of different commands and agents apart. A UUID is used as it is. Raises
    `ClientError` for a UUID of version 5, because only the platform uses this version.
    """
    if isinstance(key, UUID):
        if key.version == DERIVED:
            raise ClientError("the key must be a UUID of another version than 5, for example one of uuid4()")
        return key
    # Version 3, because ids of version 5 belong to the platform.
    return uuid3(NAMESPACE, "/".join((client_id, *about, key)))


async def append_once(exchange: Exchange, event: ClientEvent, key: str | UUID | None) -> int:
    """Append an event, and return its sequence. With a key, append it only if the event was not appended before.

    Raises `ClientError` if a different event was appended under the key before; then nothing is appended. If two
    processes append different events under one key at the same moment, the first one counts, and the other process gets
    the error.
    """
    if before := await is_appended(exchange, event, key):
        return before
    sequence = await exchange.append(event)
    await is_appended(exchange, event, key)
    return sequence


async def is_appended(exchange: Exchange, event: ClientEvent, key: str | UUID | None) -> int:
    """Return the sequence of the event if it was appended before, otherwise 0; always 0 without a key.

    Raises `ClientError` if a different event was appended under the key, or if the event was erased.
    """
    if key is None:
        return 0
    first = await first_event(exchange, event.event_id)
    if first.erased:
        raise ClientError(f"event {event.event_id} was erased")
    if first.sequence is None:
        return 0
    exchange.newest_sequence = max(exchange.newest_sequence, first.sequence)
    if first.digest != digest_of(exchange, event):
        raise ClientError(f"the key {str(key)!r} was used for something else; choose another key")
    return first.sequence


async def first_event(exchange: Exchange, event_id: UUID) -> EventView:
    """Return what is known of the first event with an id."""
    return await exchange.ask(EventQuery, EventView, event_id=event_id)


def digest_of(exchange: Exchange, event: ClientEvent) -> str:
    """Return the digest that `first_event` tells of an event of this client."""
    return digest(event.model_copy(update={"client_id": exchange.client_id}))
