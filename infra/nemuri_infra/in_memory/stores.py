"""The stores in memory that are not buckets: the inputs of tasks, the clock and its timers."""

import fnmatch
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, Self

from nats.js.errors import ObjectNotFoundError
from typing_extensions import override

from nemuri_infra.in_memory.connection import NoServer
from nemuri_infra.in_memory.event_log import InMemoryLog
from nemuri_infra.runtime.durable_timers import DueTimer, Timers
from nemuri_infra.stores.objects import Description, MalformedObjectError, Objects
from nemuri_infra.stores.platform_clock import Clock


@dataclass(frozen=True, slots=True)
class InMemoryObjects(Objects):
    """A bucket of objects, for the inputs of tasks."""

    stored: dict[str, bytes] = field(default_factory=dict)

    @override
    async def names(self) -> list[str]:
        return list(self.stored)

    @override
    async def names_like(self, pattern: str) -> list[str]:
        return sorted(fnmatch.filter(self.stored, pattern))

    @override
    async def describe(self, name: str) -> Description:
        if name not in self.stored:
            raise ObjectNotFoundError
        return Description(pieces=1, digest=sha256(self.stored[name]).hexdigest())

    @override
    async def read(self, name: str, described: Description, *, largest: int | None = None) -> bytes:
        if largest is not None and len(self.stored[name]) > largest:
            raise MalformedObjectError(f"{name} in {self.bucket} has more than {largest} bytes")
        return self.stored[name]

    @override
    async def put(self, name: str, data: bytes) -> None:
        self.stored[name] = data

    @override
    async def erase(self, name: str) -> None:
        for erased in fnmatch.filter(list(self.stored), name):
            del self.stored[erased]


@dataclass(frozen=True, slots=True)
class InMemoryClock(Clock):
    """The platform's clock: the time of the log, plus an offset."""

    log: InMemoryLog

    @classmethod
    async def of(cls, log: InMemoryLog) -> Self:
        """Return the clock of a log."""
        clock = await Clock.open(log)
        return cls(clock.store, clock.connection, clock.namespace, log)

    @override
    async def now(self) -> datetime:
        return self.log.now() + await self.offset()


class _Fired(DueTimer):
    """A due timer that needs no acknowledgement."""

    @override
    async def stop(self) -> None:
        return


@dataclass(frozen=True, slots=True)
class InMemoryTimers(Timers):
    """The timers of one service. They are due by the clock alone: whoever advances it lets them fire."""

    moments: dict[str, datetime] = field(default_factory=dict)

    @override
    async def set(self, key: str, at: datetime) -> None:
        self.moments[key] = at

    @override
    async def due(self) -> AsyncIterator[DueTimer]:
        async for _ in self.clock.changes():
            absent: Any = NoServer()
            now = await self.clock.now()
            for key in [key for key, moment in self.moments.items() if moment <= now]:
                del self.moments[key]
                yield _Fired(key, absent)
