"""The sender: one delivery for each webhook, in the one process that has the lease."""

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import Final
from uuid import UUID

import structlog

from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.process.cancellation import cancel_and_wait, run_together
from nemuri_infra.runtime.outage_errors import OUTAGE_ERRORS
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.retry_forever import retry_forever
from nemuri_infra.stores.webhooks import LostLeaseError, SenderLease, SubscriptionChange, WebhookStore
from nemuri_services.webhooks.delivery import Delivery
from nemuri_services.webhooks.receivers import Receivers

CHECK_SECONDS: Final = 5.0
"""Seconds after which the sender looks for changed subscriptions, although no notice has come."""
RETRY_SECONDS: Final = 1.0
"""Seconds until a delivery goes on after a server was away."""

logger = structlog.get_logger()


async def send_webhooks(resources: Resources) -> None:
    """Send the events of all webhooks, forever. If a server is down, try again until it is back.

    Only one process sends at a time. The others wait until its lease expires, `ack_wait` seconds after its end.
    """
    await retry_forever("webhooks", partial(_send_with_lease, resources), passing=OUTAGE_ERRORS)


async def _send_with_lease(resources: Resources) -> None:
    lease = SenderLease(resources.log, resources.settings.ack_wait)
    pause = lease.seconds / 3
    while not await lease.acquire():  # noqa: ASYNC110 - nobody tells when a lease expires
        await asyncio.sleep(pause)
    try:
        async with Receivers.opened(resources.settings.webhook_timeout) as receivers:
            await run_together(_renew(lease, pause), Sender(resources, receivers).run())
    finally:
        await lease.release()


async def _renew(lease: SenderLease, pause: float) -> None:
    """Renew the lease, forever. An outage is passed over while the lease cannot have expired."""
    clock = asyncio.get_running_loop().time
    renewed = clock()
    while True:
        await asyncio.sleep(pause)
        began = clock()
        try:
            async with asyncio.timeout_at(renewed + lease.seconds):
                await lease.renew()
        except LostLeaseError:
            raise
        except OUTAGE_ERRORS:
            if clock() >= renewed + lease.seconds:
                raise
        else:
            renewed = began


@dataclass(slots=True)
class Sender:
    """The deliveries of all webhooks. A slow receiver holds up its own webhook only."""

    resources: Resources
    receivers: Receivers
    _deliveries: dict[UUID, Delivery] = field(default_factory=dict)
    _running: "dict[UUID, asyncio.Task[None]]" = field(default_factory=dict)
    _revision: int = 0
    """Revision up to which the changes of subscriptions are known."""

    @property
    def store(self) -> WebhookStore:
        """Return the store of the webhooks."""
        return WebhookStore(self.resources.log)

    async def run(self) -> None:
        """Follow the subscriptions and deliver their events, until the caller cancels it."""
        try:
            async with self.store.moved() as notices:
                while True:
                    async for change in self.store.changes(self._revision):
                        await self._apply(change)
                        self._revision = change.revision
                    self._tell_states()
                    await notices.wait(CHECK_SECONDS)
        finally:
            await cancel_and_wait(*self._running.values())
            self._deliveries.clear()  # another process sends from here on, and tells their states
            self._tell_states()

    async def _apply(self, change: SubscriptionChange) -> None:
        """Begin, replace or end the delivery of a webhook whose subscription was written or removed."""
        before = self._running.pop(change.webhook_id, None)
        self._deliveries.pop(change.webhook_id, None)
        if before is not None:
            await cancel_and_wait(before)
        if change.subscription is not None:
            delivery = Delivery(change.subscription, self.resources, self.store, self.receivers)
            self._deliveries[change.webhook_id] = delivery
            self._running[change.webhook_id] = asyncio.create_task(_run(delivery))
        elif await self.store.progress(change.webhook_id) is not None:
            await self.store.remove_progress(change.webhook_id)

    def _tell_states(self) -> None:
        states = [delivery.state for delivery in self._deliveries.values()]
        for state in ("active", "paused", "ended"):
            self.resources.metrics.webhooks.labels(state).set(states.count(state))


async def _run(delivery: Delivery) -> None:
    """Run a delivery until it is paused or has ended. Absent servers and faults hold up this webhook alone."""
    while True:
        try:
            return await delivery.run()
        except OUTAGE_ERRORS as error:
            logger.info("waiting", service="webhooks", why=log_safe(error))
        except Exception:  # a webhook that cannot be delivered must not stop the others
            logger.exception("fault", service="webhooks", webhook=str(delivery.webhook.webhook_id))
        await asyncio.sleep(RETRY_SECONDS)
