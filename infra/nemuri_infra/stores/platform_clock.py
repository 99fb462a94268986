"""The platform's clock: wall-clock time plus an offset, which can be advanced so that simulations need not wait."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self

from nats.aio.client import Client as Nats
from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError
from nats.js.kv import KeyValue

from nemuri_infra.bus.event_log import Log

KEY = "ahead"
HEARTBEAT_SECONDS = 5.0
"""Seconds without a notification after which the offset is read again, because a notification may be lost."""
MAX_OFFSET = timedelta(days=36_500)
"""Maximum offset of the clock from wall-clock time."""


def clock_bucket(namespace: str) -> str:
    """Return the name of the bucket that stores the clock offset of a namespace."""
    return f"{namespace}-clock"


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock that decides when timers and scheduled work are due. Events in the log always carry wall-clock time."""

    store: KeyValue
    connection: Nats
    namespace: str

    @classmethod
    async def open(cls, log: Log) -> Self:
        """Return the clock of the log's namespace."""
        namespace = log.subjects.namespace
        return cls(await log.stream.key_value(clock_bucket(namespace)), log.connection, namespace)

    async def now(self) -> datetime:
        """Return the time of this clock, in UTC."""
        return datetime.now(UTC) + await self.offset()

    async def offset(self) -> timedelta:
        """Return the offset of the clock from wall-clock time."""
        return (await self._entry())[0]

    async def advance(self, by: timedelta) -> datetime:
        """Advance the clock for all processes and return its new time. Work that becomes due is then done at once.

        Raises ValueError if `by` is not positive, or if the offset would exceed `MAX_OFFSET`.
        """
        while True:
            ahead, revision = await self._entry()
            if by <= timedelta() or by > MAX_OFFSET - ahead:
                raise ValueError(f"the clock can only move forward, by at most {MAX_OFFSET.days} days in total")
            seconds = repr((ahead + by).total_seconds()).encode()
            try:
                await self.store.update(KEY, seconds, last=revision)
            except KeyWrongLastSequenceError:
                continue  # another process advanced the clock; start from its value
            return await self.now()

    async def ensure_offset(self, ahead: timedelta) -> None:
        """Advance the clock until its offset is at least `ahead`. Does nothing if it is already."""
        while (by := ahead - await self.offset()) > timedelta():
            await self.advance(by)

    async def changes(self) -> AsyncIterator[timedelta]:
        """Yield the present offset of the clock at once, and the new offset after every change, without end."""
        moved = await self.connection.subscribe(f"$KV.{clock_bucket(self.namespace)}.{KEY}")
        known: timedelta | None = None
        try:
            while True:
                if (ahead := await self.offset()) != known:
                    known = ahead
                    yield ahead
                try:
                    await moved.next_msg(timeout=HEARTBEAT_SECONDS)
                except TimeoutError:
                    continue
        finally:
            if not self.connection.is_closed:
                await moved.unsubscribe()

    async def _entry(self) -> tuple[timedelta, int]:
        """Return the offset and its revision in the bucket. The revision is 0 if the clock was never advanced."""
        try:
            entry = await self.store.get(KEY)
        except KeyNotFoundError:
            return timedelta(), 0
        return timedelta(seconds=float(entry.value or b"0")), entry.revision or 0
