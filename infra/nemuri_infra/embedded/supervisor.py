"""A supervisor that restarts servers and workers until they are told to stop."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import structlog

from nemuri_infra.embedded.child_processes import ServerFailed
from nemuri_infra.process.cancellation import cancel_and_wait, run_together

logger = structlog.get_logger(__name__)

FIRST_DELAY = 0.1
LONGEST_DELAY = 10.0
STEADY_SECONDS = 30.0
"""Seconds of uptime after which a process is restarted without backoff."""


class Supervised(Protocol):
    """A process that can be restarted on the same address: a Child, an EmbeddedNats, an EmbeddedPostgres."""

    @property
    def name(self) -> str:
        """Return its name for reports."""

    async def start(self) -> None:
        """Start it and return when it is ready. Does nothing if it runs. Raises ServerFailed."""

    async def wait(self) -> int:
        """Return the exit code when it has ended."""

    async def stop(self) -> None:
        """Stop it and return when it has ended. Does nothing if it never ran."""


@dataclass(frozen=True)
class Restart:
    """A restart of a process that ended or did not start."""

    name: str
    reason: str
    attempt: int
    """Number of the attempt, from 1; reset after a steady run."""
    delay: float
    """Seconds until the start."""


def log_restart(restart: Restart) -> None:
    """Report a restart as one structured log line."""
    logger.warning("restarting", name=restart.name, reason=restart.reason, attempt=restart.attempt, delay=restart.delay)


class Supervisor:
    """Starts processes in the given order, restarts those that end, and stops all in reverse order.

    With `together` all are started and stopped concurrently.
    """

    def __init__(
        self,
        things: Sequence[Supervised],
        *,
        on_restart: Callable[[Restart], None] = log_restart,
        first_delay: float = FIRST_DELAY,
        steady_seconds: float = STEADY_SECONDS,
        together: bool = False,
    ) -> None:
        self._things = list(things)
        self._on_restart = on_restart
        self._first_delay = first_delay
        self._steady_seconds = steady_seconds
        self._together = together

    async def start(self) -> None:
        """Start all stopped processes; return when all are ready. On any failure all are stopped again."""
        try:
            if self._together:
                await _all(thing.start() for thing in self._things)
                return
            for thing in self._things:
                await thing.start()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Stop all processes, even if stopping one of them fails."""
        if self._together:
            await _all(thing.stop() for thing in self._things)
            return
        async with AsyncExitStack() as stack:
            for thing in self._things:
                stack.push_async_callback(thing.stop)

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[asyncio.Task[None]]:
        """Run all processes during the context, restart those that die, and stop all at the end.

        The yielded supervision task ends earlier only by a programming error.
        """
        await self.start()
        keeping = asyncio.create_task(run_together(*map(self._keep, self._things)))
        try:
            yield keeping
        finally:
            await cancel_and_wait(keeping)
            await self.stop()
        if not keeping.cancelled():
            keeping.result()

    async def run_until(self, stop_event: asyncio.Event) -> None:
        """Start all processes, keep them running until the event is set, stop all. Raises ServerFailed if one does not
        start.

        After the first start no failure of a process ends the supervision; it is restarted without limit.
        """
        work = asyncio.create_task(self._run())
        stopped = asyncio.create_task(stop_event.wait())
        try:
            await asyncio.wait((work, stopped), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (work, stopped):
                task.cancel()
            outcome, _ = await asyncio.gather(work, stopped, return_exceptions=True)
        if isinstance(outcome, Exception):
            raise outcome

    async def _run(self) -> None:
        async with self.kept() as keeping:
            await asyncio.wait((keeping,))

    async def _keep(self, thing: Supervised) -> None:
        attempts, loop = 0, asyncio.get_running_loop()
        while True:
            since = loop.time()
            code = await thing.wait()
            if loop.time() - since >= self._steady_seconds:
                attempts = 0
            attempts = await self._revive(thing, f"ended with {code}", attempts)

    async def _revive(self, thing: Supervised, reason: str, attempts: int) -> int:
        """Restart a process until it starts. Return the number of attempts since its last steady run."""
        while True:
            delay = min(LONGEST_DELAY, self._first_delay * 2 ** min(attempts, 16))
            attempts += 1
            self._on_restart(Restart(thing.name, reason, attempts, delay))
            await asyncio.sleep(delay)
            try:
                await thing.start()
            except (ServerFailed, OSError) as error:
                reason = str(error)
            else:
                return attempts


async def _all(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run all coroutines concurrently to their end, then raise an error if one failed."""
    for outcome in await asyncio.gather(*work, return_exceptions=True):
        if outcome is not None:
            raise outcome
