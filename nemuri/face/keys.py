"""Idempotency keys: what a client says again under the same key is said once (docs/decisions/0058)."""

from typing import Annotated
from uuid import UUID, uuid3, uuid4

from pydantic import Field

from nemuri.contracts.event import DERIVED, NAMESPACE, Label
from nemuri.face.exchange import ClientError, Exchange

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
