"""The platform's clock: the time of day, plus what somebody moved it on by, so that simulations need not wait."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self

from nats.aio.client import Client as Nats
from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError
from nats.js.kv import KeyValue

from nemuri_infra.bus.event_log import Log

KEY = "ahead"
HEARTBEAT = 5.0
"""Seconds without news after which it is looked whether the clock was moved, in case the news was lost."""
FURTHEST = timedelta(days=36_500)
"""How far ahead the clock may be altogether."""


def clock_bucket(namespace: str) -> str:
    """The name of the namespace's store that says how far its clock is ahead."""
    return f"{namespace}-clock"


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock that decides when exercises come again; the log keeps the real time, whatever this one says."""

    store: KeyValue
    connection: Nats
    namespace: str

    @classmethod
    async def open(cls, log: Log) -> Self:
        """The clock of the log's namespace."""
        namespace = log.subjects.namespace
        return cls(await log.stream.key_value(clock_bucket(namespace)), log.connection, namespace)

    async def now(self) -> datetime:
        """The time by this clock, in UTC."""
        return datetime.now(UTC) + await self.ahead()

    async def ahead(self) -> timedelta:
        """How far the clock is ahead of the time of day."""
        return (await self._entry())[0]

    async def advance(self, by: timedelta) -> datetime:
        """Move the clock on for everybody and return its time; what has become due happens at once.

        Raises ValueError for a step that is not forward, or beyond a hundred years altogether.
        """
        while True:
            ahead, revision = await self._entry()
            if by <= timedelta() or by > FURTHEST - ahead:
                raise ValueError(f"the clock moves forward only, and at most {FURTHEST.days} days altogether")
            seconds = repr((ahead + by).total_seconds()).encode()
            try:
                await self.store.update(KEY, seconds, last=revision)
            except KeyWrongLastSequenceError:
                continue  # somebody else moved it meanwhile: from there, then
            return await self.now()

    async def reach(self, ahead: timedelta) -> None:
        """Move the clock on until it is so far ahead of the time of day; nothing if it is already."""
        while (by := ahead - await self.ahead()) > timedelta():
            await self.advance(by)

    async def changes(self) -> AsyncIterator[timedelta]:
        """How far the clock is ahead: now, and again whenever it was moved, for ever."""
        moved = await self.connection.subscribe(f"$KV.{clock_bucket(self.namespace)}.{KEY}")
        known: timedelta | None = None
        try:
            while True:
                if (ahead := await self.ahead()) != known:
                    known = ahead
                    yield ahead
                try:
                    await moved.next_msg(timeout=HEARTBEAT)
                except TimeoutError:
                    continue
        finally:
            if not self.connection.is_closed:
                await moved.unsubscribe()

    async def _entry(self) -> tuple[timedelta, int]:
        """How far the clock is ahead, and at which revision the store says so: 0 while nobody moved it."""
        try:
            entry = await self.store.get(KEY)
        except KeyNotFoundError:
            return timedelta(), 0
        return timedelta(seconds=float(entry.value or b"0")), entry.revision or 0
