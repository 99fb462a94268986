"""Timers on the server itself: they survive every restart, and whoever is there is told when one is due."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from nats.aio.msg import Msg
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.api import Header

from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.provisioning import timers_durable
from nemuri_infra.stores.clock import Clock

PATIENCE = 5.0
"""Seconds of one look for timers that are due."""


@dataclass(frozen=True, slots=True)
class Ringing:
    """A timer that is due; it rings again for somebody unless it is stopped."""

    key: str
    message: Msg

    async def stop(self) -> None:
        """It was heard."""
        await self.message.ack()


@dataclass(frozen=True, slots=True)
class Timers:
    """The timers of one namespace, by the platform's clock."""

    log: Log
    clock: Clock

    async def set(self, key: str, at: datetime) -> None:
        """Let the timer ring at a time by the platform's clock, at once if that is past; it rings once.

        Setting it again replaces it. A timer is a reminder, and no source of facts: who is told looks what is due.
        """
        subjects, before = self.log.subjects, None
        while before != (ahead := await self.clock.ahead()):  # moved while it was set: set again
            before = ahead
            # In whole seconds, and so the next one: what rings early would have to be set once more.
            moment = (at - ahead + timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
            headers = {Header.SCHEDULE.value: f"@at {moment}", Header.SCHEDULE_TARGET.value: subjects.ringing(key)}
            await self.log.stream.publish(
                subjects.timer(key), key.encode(), headers=headers, stream=subjects.timers_stream
            )

    async def due(self) -> AsyncIterator[Ringing]:
        """Each timer that rings, for ever; every one of them is told to one listener of all processes."""
        durable, stream = timers_durable(self.log.subjects).name, self.log.subjects.timers_stream
        subscription = await self.log.stream.pull_subscribe_bind(durable, stream)
        try:
            while True:
                try:
                    messages = await subscription.fetch(1, timeout=PATIENCE)
                except (TimeoutError, NatsTimeoutError):
                    continue
                for message in messages:
                    yield Ringing(message.data.decode(errors="replace"), message)
        finally:
            await subscription.unsubscribe()
