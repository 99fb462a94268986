"""How far the views are, as every process hears it from the projector."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Self

from nats.aio.msg import Msg

from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections.projection import Projection

HEARTBEAT = 1.0
"""Seconds without news after which the database itself is asked, in case the news was lost."""


class BehindError(Exception):
    """The views have not reached a place in the log in time."""


@dataclass(slots=True)
class Progress:
    """The newest place in the log that the views are known to have reached."""

    projection: Projection
    sequence: int = 0
    _heard: float = float("-inf")
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    @asynccontextmanager
    async def following(cls, log: Log, projection: Projection) -> AsyncIterator[Self]:
        """Progress that is kept up to date as long as the context lasts."""
        progress = cls(projection)

        async def hear(message: Msg) -> None:
            await progress.reach(int(message.data))

        subscription = await log.connection.subscribe(log.subjects.projected, cb=hear)
        try:
            yield progress
        finally:
            if log.connection.is_connected:
                await subscription.unsubscribe()

    async def here(self) -> int:
        """How far the views are: as of the newest news, or of about a second ago when there was none."""
        if asyncio.get_running_loop().time() - self._heard > HEARTBEAT:
            await self.reach((await self.projection.position()).sequence)
        return self.sequence

    async def reach(self, sequence: int) -> None:
        """Note that the views have reached a place, and wake whoever waits for it."""
        self._heard = asyncio.get_running_loop().time()
        if sequence != self.sequence:
            async with self._news:
                self.sequence = sequence
                self._news.notify_all()

    async def wait(self, sequence: int, *, seconds: float = 10.0) -> None:
        """Return once the views hold everything up to a place in the log; raises `BehindError`."""
        try:
            async with asyncio.timeout(seconds):
                while self.sequence < sequence:
                    await self._hear(sequence)
        except TimeoutError as error:
            raise BehindError(f"the views are at {self.sequence} and {sequence} was waited for") from error

    async def moves(self, beyond: int, *, seconds: float) -> bool:
        """Return as soon as the views are beyond a place in the log, or after a while; whether they are."""
        try:
            await self.wait(beyond + 1, seconds=seconds)
        except BehindError:
            return False
        return True

    async def _hear(self, sequence: int) -> None:
        """Wait for news; without any for a while, one of all who wait asks, while the others go on listening."""
        async with self._news:
            try:
                async with asyncio.timeout(HEARTBEAT):
                    await self._news.wait_for(lambda: self.sequence >= sequence)
            except TimeoutError:
                pass
            else:
                return
        if not self._asking.locked():
            async with self._asking:
                await self.here()
