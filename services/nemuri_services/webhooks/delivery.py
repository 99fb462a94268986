"""The delivery of one webhook's events, one after the other, from where it stopped."""

import asyncio
import random
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog

from nemuri_contracts.event import OPERATOR, Event
from nemuri_contracts.webhooks import WebhookProgress, WebhookState, WebhookSubscription
from nemuri_domain.webhooks.attempts import Attempt, after_attempt, resumed
from nemuri_domain.webhooks.message import event_message
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.stores.webhooks import WebhookStore
from nemuri_services.webhooks.receivers import Receivers
from nemuri_services.webhooks.selection import event_for, next_message, subjects_of

LOOK_SECONDS: Final = 0.1
"""Seconds between two looks for events of one webhook while the log moves."""
IDLE_SECONDS: Final = 5.0
"""Seconds after which a webhook without events looks again, although no notification has come."""
SKIPPED_AT_ONCE: Final = 500
"""Number of events that are not for the webhook after which the position is recorded."""

logger = structlog.get_logger()


@dataclass(slots=True)
class Delivery:
    """The delivery of one webhook's events."""

    webhook: WebhookSubscription
    resources: Resources
    store: WebhookStore
    receivers: Receivers
    progress: WebhookProgress = field(init=False)
    _loaded: bool = False
    _unsaved: bool = False
    """True if the progress could not be recorded, because a server was away. It is recorded before the next attempt, so
    an event that was accepted is not sent again.
    """
    _skipped: int = 0
    """Number of events since the recorded position that are not for this webhook."""

    def __post_init__(self) -> None:
        """Begin where the subscription begins. `run` continues where an earlier sender stopped."""
        self.progress = WebhookProgress(after=self.webhook.after, resumed=self.webhook.resumed)

    @property
    def state(self) -> WebhookState:
        """Return the state of the webhook."""
        return self.progress.state

    async def run(self) -> None:
        """Deliver events until the webhook is paused or has ended. Raises the errors of absent servers."""
        if not self._loaded:
            self.progress = await self.store.progress(self.webhook.webhook_id) or self.progress
            self._loaded = True
        if self._unsaved:
            await self._record(self.progress)
        if self.progress.state == "paused" and self.webhook.resumed > self.progress.resumed:
            await self._record(resumed(self.progress, self.webhook.resumed))
        filters = subjects_of(self.resources.log, self.webhook)
        while self.progress.state == "active":
            await self._wait_until_due()
            here = self.resources.views.progress.sequence
            message = await next_message(self.resources.log, filters, self.progress.after)
            if message is None:
                await self._wait_for_events(here)
            elif (event := await event_for(self.webhook, message, self.resources)) is None:
                await self._skip(message.sequence)
            else:
                await self._attempt(event)

    async def _attempt(self, event: Event) -> None:
        """Send an event once, and record the outcome. It is read again before the next attempt: it may be erased."""
        message = event_message(event, with_content=self.webhook.client_id == OPERATOR)
        headers = message.headers(self.webhook.secret, datetime.now(UTC))
        attempt = await self.receivers.post(self.webhook, message.body, headers)
        self._count(attempt)
        patience = timedelta(days=self.resources.settings.webhook_days)
        now, draw = datetime.now(UTC), random.random()
        await self._record(after_attempt(self.progress, event, attempt, now=now, draw=draw, patience=patience))
        if self.progress.state != "active":
            logger.warning("webhook stopped", webhook=str(self.webhook.webhook_id), state=self.progress.state)

    def _count(self, attempt: Attempt) -> None:
        metrics = self.resources.metrics
        metrics.webhook_attempts.labels("accepted" if attempt.accepted else "failed").inc()
        metrics.webhook_seconds.observe(attempt.seconds)

    async def _skip(self, sequence: int) -> None:
        """Pass over an event that is not for this webhook. A failing one that was erased is not tried again."""
        self._skipped += 1
        passed = self.progress.model_copy(update={"after": sequence, "next_attempt": None})
        if self._skipped >= SKIPPED_AT_ONCE or self.progress.failures:
            await self._record(passed)
        else:
            self.progress = passed

    async def _record(self, progress: WebhookProgress) -> None:
        self.progress, self._unsaved = progress, True
        await self.store.put_progress(self.webhook.webhook_id, progress)
        self._unsaved, self._skipped = False, 0

    async def _wait_until_due(self) -> None:
        if self.progress.next_attempt is not None:
            await asyncio.sleep((self.progress.next_attempt - datetime.now(UTC)).total_seconds())

    async def _wait_for_events(self, here: int) -> None:
        await asyncio.sleep(LOOK_SECONDS)  # what is projected meanwhile is looked for together
        with suppress(TimeoutError):
            await self.resources.views.progress.wait_beyond(here, seconds=IDLE_SECONDS)
