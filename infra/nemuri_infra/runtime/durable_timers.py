"""Timers on the NATS server. They survive restarts of all processes.

Each due timer is delivered to one of the listening processes.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from nats.aio.msg import Msg
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.api import Header

from nemuri_infra.bus.event_log import Log
from nemuri_infra.stores.platform_clock import Clock

FETCH_SECONDS = 5.0
"""Timeout in seconds of one fetch of due timers."""


@dataclass(frozen=True, slots=True)
class DueTimer:
    """A due timer. It is delivered again unless `stop` acknowledges it."""

    key: str
    message: Msg

    async def stop(self) -> None:
        """Acknowledge the timer, so that it is not delivered again."""
        await self.message.ack()


@dataclass(frozen=True, slots=True)
class Timers:
    """The timers of one service. Their times are times of the platform's clock, which operators can advance."""

    log: Log
    clock: Clock
    service: str = ""
    """Name of the service; "" in the resources that no service has yet."""

    async def set(self, key: str, at: datetime) -> None:
        """Set the timer `key` to the time `at` of the platform's clock. It fires once, immediately if the time is past.

        Setting a timer with the same key again replaces it. A timer only wakes its listener: the listener must check
        itself what is due.
        """
        subjects, before = self.log.subjects, None
        while before != (ahead := await self.clock.offset()):  # the clock was advanced meanwhile: set it again
            before = ahead
            # Rounded up to whole seconds, because a timer that fires too early would have to be set again.
            moment = (at - ahead + timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
            due, place = subjects.timer_due(self.service, key), subjects.timer(self.service, key)
            headers = {Header.SCHEDULE.value: f"@at {moment}", Header.SCHEDULE_TARGET.value: due}
            await self.log.stream.publish(place, key.encode(), headers=headers, stream=subjects.timers_stream)

    async def due(self) -> AsyncIterator[DueTimer]:
        """Yield each due timer, waiting for the next one without end. Each timer goes to one listener of
        the service among all processes.
        """
        stream = self.log.subjects.timers_stream
        subscription = await self.log.stream.pull_subscribe_bind(self.service, stream)
        try:
            while True:
                try:
                    messages = await subscription.fetch(1, timeout=FETCH_SECONDS)
                except (TimeoutError, NatsTimeoutError):
                    continue
                for message in messages:
                    yield DueTimer(message.data.decode(errors="replace"), message)
        finally:
            await subscription.unsubscribe()
