"""Messages in the form of Standard Webhooks (https://www.standardwebhooks.com): their bodies and their signatures."""

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from hmac import digest
from typing import Any, Final
from uuid import UUID

from nemuri_contracts.event import ClientEvent, Event
from nemuri_contracts.journal_views import JournalEntry
from nemuri_contracts.webhooks import SECRET_PREFIX, TEST_KIND

MAX_BODY_BYTES: Final = 256 * 1024
"""Maximum size of a message's body. An event that does not fit is sent without its content."""


@dataclass(frozen=True, slots=True)
class WebhookMessage:
    """A message to a receiver. The same event gives the same message, whenever it is sent."""

    message_id: UUID
    """Id of the event, by which a receiver recognises a repetition."""
    body: bytes
    """JSON with `type`, `timestamp` and `data`."""

    def headers(self, secret: str, sent_at: datetime) -> dict[str, str]:
        """Return the headers of an attempt at the time `sent_at`, with the signature by a secret `whsec_…`."""
        second = int(sent_at.timestamp())
        signed = b".".join((str(self.message_id).encode(), str(second).encode(), self.body))
        signature = b64encode(digest(_key(secret), signed, sha256)).decode()
        return {
            "webhook-id": str(self.message_id),
            "webhook-timestamp": str(second),
            "webhook-signature": f"v1,{signature}",
            "content-type": "application/json",
        }


def event_message(event: Event, *, with_content: bool) -> WebhookMessage:
    """Return the message about an event that was read from the log.

    Its data are the event's entry in the journal and, `with_content`, the event itself. If the body would exceed
    `MAX_BODY_BYTES`, `event` is null and `too_large` is the number of bytes.
    """
    entry = JournalEntry(
        sequence=event.sequence or 0,
        event_id=event.event_id,
        kind=event.kind,
        task_id=event.thread,
        agent_id=event.agent_id,
        causation_id=event.causation_id,
        recorded_at=event.at,
    )
    data = entry.model_dump(mode="json")
    if not with_content:
        return _message(event.event_id, event.kind, event.at, data)
    sayer = {"client_id": event.client_id} if isinstance(event, ClientEvent) else {}
    whole = _message(event.event_id, event.kind, event.at, data | {"event": event.model_dump(mode="json") | sayer})
    if (size := len(whole.body)) <= MAX_BODY_BYTES:
        return whole
    return _message(event.event_id, event.kind, event.at, data | {"event": None, "too_large": size})


def probe_message(message_id: UUID, webhook_id: UUID, now: datetime) -> WebhookMessage:
    """Return the message of a test, which is about no event."""
    return _message(message_id, TEST_KIND, now, {"webhook_id": str(webhook_id)})


def _message(message_id: UUID, kind: str, moment: datetime, data: dict[str, Any]) -> WebhookMessage:
    body = {"type": kind, "timestamp": moment.isoformat(), "data": data}
    return WebhookMessage(message_id, json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode())


def _key(secret: str) -> bytes:
    return b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
