"""The progress of the projections, which the projector publishes to all processes with the version of its folds."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Self

from nats.aio.msg import Msg

from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections.projection import FOLD, Projection

HEARTBEAT_SECONDS = 1.0
"""Seconds without a notification after which the database is queried, because a notification may be lost."""

_needed: ContextVar[int] = ContextVar("needed", default=0)


@contextmanager
def projected_up_to(sequence: int) -> Iterator[None]:
    """Let every read of the projections during the context first wait until they contain everything up to a
    sequence.
    """
    token = _needed.set(sequence)
    try:
        yield
    finally:
        _needed.reset(token)


def need(sequence: int) -> None:
    """Let every further read of the projections in the present context wait for this sequence too."""
    _needed.set(max(_needed.get(), sequence))


def needed_sequence() -> int:
    """Return the sequence up to which the projections must be complete before a read; 0 outside `projected_up_to`."""
    return _needed.get()


def progress_message(sequence: int) -> bytes:
    """Return the notification that the projections of this version have reached a sequence."""
    return f"{sequence} {FOLD}".encode()


class BehindError(Exception):
    """The projections do not contain everything that is needed yet. The event is retried later."""


@dataclass(slots=True)
class Progress:
    """The last log sequence that the projections are known to have reached."""

    projection: Projection
    sequence: int = 0
    newer_fold: int | None = None
    """Version of the folds that replaced those of this program; None as long as none has."""
    superseded: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a newer version has replaced the projections, so that this program must stop."""
    _heard: float = float("-inf")
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    @asynccontextmanager
    async def following(cls, log: Log, projection: Projection) -> AsyncIterator[Self]:
        """Subscribe to the projector's notifications, and yield a progress that they keep up to date during the
        context.
        """
        progress = cls(projection)

        async def hear(message: Msg) -> None:
            await progress.record(*map(int, message.data.split()))

        subscription = await log.connection.subscribe(log.subjects.projected, cb=hear)
        try:
            yield progress
        finally:
            if log.connection.is_connected:
                await subscription.unsubscribe()

    async def current_sequence(self) -> int:
        """Return the sequence that the projections have reached.

        If the last notification is older than `HEARTBEAT_SECONDS`, it is read from the database.
        """
        if asyncio.get_running_loop().time() - self._heard > HEARTBEAT_SECONDS:
            position = await self.projection.position()
            await self.record(position.sequence, position.fold)
        return self.sequence

    async def record(self, sequence: int, fold: int = FOLD) -> None:
        """Record that projections of a version have reached a sequence, and wake the callers that wait for it."""
        if fold > FOLD:
            self.newer_fold = fold
            self.superseded.set()
        self._heard = asyncio.get_running_loop().time()
        if sequence != self.sequence:
            async with self._news:
                self.sequence = sequence
                self._news.notify_all()

    async def wait(self, sequence: int, *, seconds: float = 10.0) -> None:
        """Wait until the projections contain everything up to a sequence.

        Raises `BehindError` if that takes longer than `seconds` seconds.
        """
        try:
            async with asyncio.timeout(seconds):
                while self.sequence < sequence:
                    await self._hear(sequence)
        except TimeoutError as error:
            raise BehindError(f"the projections are at {self.sequence}, but {sequence} is needed") from error

    async def wait_until_needed(self) -> None:
        """Wait until the projections contain what the reads of the current context need. Raises `BehindError` like
        `wait`.
        """
        if (sequence := needed_sequence()) > self.sequence:
            await self.wait(sequence)

    async def wait_beyond(self, beyond: int, *, seconds: float) -> bool:
        """Wait at most `seconds` seconds until the projections are beyond the sequence `beyond`. Return whether they
        are.
        """
        try:
            await self.wait(beyond + 1, seconds=seconds)
        except BehindError:
            return False
        return True

    async def _hear(self, sequence: int) -> None:
        """Wait at most `HEARTBEAT_SECONDS` seconds for a notification that the sequence is reached.

        If none arrives, one of the waiting callers queries the database.
        """
        async with self._news:
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await self._news.wait_for(lambda: self.sequence >= sequence)
            except TimeoutError:
                pass
            else:
                return
        if not self._asking.locked():
            async with self._asking:
                await self.current_sequence()
