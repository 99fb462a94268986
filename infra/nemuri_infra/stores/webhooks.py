"""The store of webhooks: subscriptions with their secrets, how far each was sent, and the lease of the sender.

It is not a source of facts. Operators write the subscriptions, and the service that sends writes the rest.
"""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, TypeVar
from uuid import UUID

import structlog
from nats.aio.subscription import Subscription
from nats.js.errors import BadRequestError
from pydantic import ValidationError

from nemuri_contracts.codec import validation_message
from nemuri_contracts.event import Value
from nemuri_contracts.webhooks import WebhookProgress, WebhookSubscription
from nemuri_infra.bus.event_log import ANSWER_SECONDS, EXPECTED_SEQUENCE, WRONG_LAST_SEQUENCES, Log
from nemuri_infra.bus.stored_message import StoredMessage
from nemuri_infra.stores.bucket_reader import OPERATION_HEADER

SUBSCRIPTION: Final = "subscription"
PROGRESS: Final = "progress"
LEASE: Final = "lease"
_DELETED: Final = {OPERATION_HEADER: "DEL"}

V = TypeVar("V", bound=Value)
logger = structlog.get_logger()


def webhook_bucket(namespace: str) -> str:
    """Return the name of the namespace's bucket of webhooks."""
    return f"{namespace}-webhooks"


def webhook_subject(namespace: str, kind: str, webhook_id: UUID | str = "*") -> str:
    """Return the subject that stores the subscription or the progress of a webhook, or the filter of all of them."""
    return f"$KV.{webhook_bucket(namespace)}.{kind}.{webhook_id}"


def lease_subject(namespace: str) -> str:
    """Return the subject that stores the lease of the sender."""
    return f"$KV.{webhook_bucket(namespace)}.{LEASE}"


class LostLeaseError(ConnectionError):
    """Another process sends the webhooks now."""


@dataclass(frozen=True, slots=True)
class SubscriptionChange:
    """A subscription that was written or removed."""

    webhook_id: UUID
    subscription: WebhookSubscription | None
    """None if it was removed."""
    revision: int


@dataclass(frozen=True, slots=True)
class WebhookStore:
    """The webhooks of a namespace. Every read is one request to the leader of the bucket for each entry."""

    log: Log

    @property
    def stream(self) -> str:
        """Return the name of the stream that holds the bucket."""
        return f"KV_{webhook_bucket(self._namespace)}"

    async def changes(self, after: int = 0) -> AsyncIterator[SubscriptionChange]:
        """Yield the present subscriptions that were written, and those that were removed, after a revision."""
        subject = webhook_subject(self._namespace, SUBSCRIPTION)
        while (message := await self._read(seq=after + 1, next_by_subj=subject)) is not None:
            after = message.sequence
            webhook_id = UUID(message.subject.rpartition(".")[2])
            yield SubscriptionChange(webhook_id, _value(message, WebhookSubscription), after)

    async def all(self) -> list[WebhookSubscription]:
        """Return all subscriptions, oldest first."""
        found = [change.subscription async for change in self.changes() if change.subscription is not None]
        return sorted(found, key=lambda subscription: (subscription.created_at, subscription.webhook_id))

    async def subscription(self, webhook_id: UUID) -> WebhookSubscription | None:
        """Return a subscription; None if there is none with this id."""
        message = await self._last(webhook_subject(self._namespace, SUBSCRIPTION, webhook_id))
        return None if message is None else _value(message, WebhookSubscription)

    async def progress(self, webhook_id: UUID) -> WebhookProgress | None:
        """Return how far a webhook was sent; None before the sender has begun."""
        message = await self._last(webhook_subject(self._namespace, PROGRESS, webhook_id))
        return None if message is None else _value(message, WebhookProgress)

    async def put(self, subscription: WebhookSubscription) -> None:
        """Write a subscription."""
        subject = webhook_subject(self._namespace, SUBSCRIPTION, subscription.webhook_id)
        await self.log.stream.publish(subject, subscription.model_dump_json().encode())

    async def put_progress(self, webhook_id: UUID, progress: WebhookProgress) -> None:
        """Write how far a webhook was sent."""
        subject = webhook_subject(self._namespace, PROGRESS, webhook_id)
        await self.log.stream.publish(subject, progress.model_dump_json().encode())

    async def remove(self, webhook_id: UUID) -> None:
        """Remove a subscription. The sender removes its progress."""
        subject = webhook_subject(self._namespace, SUBSCRIPTION, webhook_id)
        await self.log.stream.publish(subject, b"", headers=_DELETED)

    async def remove_progress(self, webhook_id: UUID) -> None:
        """Remove the progress of a webhook that was removed."""
        subject = webhook_subject(self._namespace, PROGRESS, webhook_id)
        await self.log.stream.publish(subject, b"", headers=_DELETED)

    @asynccontextmanager
    async def moved(self) -> AsyncIterator["Notices"]:
        """Yield a listener to changes of subscriptions."""
        subscription = await self.log.connection.subscribe(webhook_subject(self._namespace, SUBSCRIPTION))
        try:
            yield Notices(subscription)
        finally:
            if not self.log.connection.is_closed:
                await subscription.unsubscribe()

    @property
    def _namespace(self) -> str:
        return self.log.subjects.namespace

    async def _last(self, subject: str) -> StoredMessage | None:
        return await self._read(last_by_subj=subject)

    async def _read(self, **wanted: int | str) -> StoredMessage | None:
        connection, prefix = self.log.connection, self.log.api_prefix
        return await StoredMessage.read(connection, self.stream, prefix=prefix, timeout=ANSWER_SECONDS, **wanted)


@dataclass(frozen=True, slots=True)
class Notices:
    """Notices that a subscription was written or removed. One may be lost, so whoever waits also looks by itself."""

    subscription: Subscription

    async def wait(self, seconds: float) -> None:
        """Wait for the next notice, at most so many seconds."""
        with suppress(TimeoutError):
            await self.subscription.next_msg(timeout=seconds)


@dataclass(slots=True)
class SenderLease:
    """The right to send, which one process has at a time. It expires by the server's clock."""

    log: Log
    seconds: float
    """Seconds after which it expires unless it is renewed."""
    _revision: int = field(default=0)

    async def acquire(self) -> bool:
        """Acquire the lease, and return whether this process has it now."""
        return await self._write(0)

    async def renew(self) -> None:
        """Renew the lease. Raises `LostLeaseError` if another process has it."""
        if not await self._write(self._revision):
            raise LostLeaseError("another process sends the webhooks now")

    async def release(self) -> None:
        """Let the lease expire within a second, if this process still has it."""
        await self._write(self._revision, 1)

    async def _write(self, revision: int, seconds: float | None = None) -> bool:
        subject = lease_subject(self.log.subjects.namespace)
        headers = {EXPECTED_SEQUENCE: str(revision)}
        time_to_live = math.ceil(max(1.0, self.seconds if seconds is None else seconds))
        try:
            ack = await self.log.stream.publish(subject, b"", headers=headers, msg_ttl=time_to_live)
        except BadRequestError as error:
            if error.err_code not in WRONG_LAST_SEQUENCES:
                raise
            return False
        self._revision = ack.seq
        return True


def _value(message: StoredMessage, kind: type[V]) -> V | None:
    """Return the value in a message; None if the message removes it, or if it is damaged."""
    if OPERATION_HEADER in message.headers:
        return None
    try:
        return kind.model_validate_json(message.data)
    except ValidationError as error:
        logger.warning("a webhook is damaged", subject=message.subject, why=validation_message(error))
        return None
