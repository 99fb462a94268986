"""New events of the log, read once for everybody who watches."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Self

import structlog

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_contracts.codec import AnyEvent
from nemuri_infra.bus.pull_reader import READER_ERRORS
from nemuri_infra.process.cancellation import cancel_and_wait

MAX_WAITING = 1_000
"""Maximum number of events that wait for one watcher. A slower watcher misses the oldest."""
RETRY_SECONDS = 1.0

logger = structlog.get_logger()


class Watcher:
    """New events, in the order of the log, for one who watches."""

    def __init__(self) -> None:
        self._waiting = asyncio.Queue[AnyEvent](MAX_WAITING)
        self.missed = 0
        """Number of events that were dropped because they came faster than they were taken."""

    def put(self, event: AnyEvent) -> None:
        """Hand over an event. If too many wait, the oldest is dropped."""
        if self._waiting.full():
            self._waiting.get_nowait()
            self.missed += 1
        self._waiting.put_nowait(event)

    async def next(self) -> list[AnyEvent]:
        """Wait for at least one event, and return all that have come."""
        found = [await self._waiting.get()]
        with suppress(asyncio.QueueEmpty):
            while True:
                found.append(self._waiting.get_nowait())
        return found


class LiveLog:
    """The end of the log. It is read only while somebody watches, however many they are, by one consumer."""

    def __init__(self, operator: Callable[[], Awaitable[Client]]) -> None:
        self._operator = operator
        self._watchers = set[Watcher]()
        self._reading: asyncio.Task[None] | None = None
        self._started = asyncio.Event()

    async def __aenter__(self) -> Self:
        """Return the log."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Stop reading."""
        await self._stop()

    @asynccontextmanager
    async def watching(self) -> AsyncGenerator[Watcher]:
        """Yield a watcher that gets every event appended from now on, until the context ends."""
        watcher = Watcher()
        self._watchers.add(watcher)
        try:
            if self._reading is None:
                self._reading = asyncio.create_task(self._read())
            await self._started.wait()
            yield watcher
        finally:
            self._watchers.discard(watcher)
            if not self._watchers:
                await self._stop()

    async def _stop(self) -> None:
        reading, self._reading = self._reading, None
        self._started.clear()
        if reading is not None:
            await cancel_and_wait(reading)

    async def _read(self) -> None:
        after: int | None = None
        while True:
            try:
                client = await self._operator()
                after = await client.log.last_sequence() if after is None else after
                self._started.set()
                async with aclosing(client.log.read(after, with_parked=True)) as batches:
                    async for batch in batches:
                        after = batch.until
                        for event in batch.events:
                            for watcher in self._watchers:
                                watcher.put(event)
            except (*READER_ERRORS, ClientError, OSError) as error:
                logger.info("reading the log again", problem=str(error))
            await asyncio.sleep(RETRY_SECONDS)
