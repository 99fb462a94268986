"""A supervisor that restarts servers and workers until it is told to stop."""

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
"""Seconds of uptime after which the backoff of a process starts from the beginning."""


class Supervised(Protocol):
    """A process that can be restarted on the same address: a `Child`, an `EmbeddedNats` or an `EmbeddedPostgres`."""

    @property
    def name(self) -> str:
        """Return the name of the process, for messages."""

    async def start(self) -> None:
        """Start the process and return when it is ready. Does nothing if it runs. Raises ServerFailed."""

    async def wait(self) -> int:
        """Wait until the process has ended and return its exit code."""

    async def stop(self) -> None:
        """Stop the process and return when it has ended. Does nothing if it never ran."""


@dataclass(frozen=True)
class Restart:
    """A planned restart of a process that has ended or did not start."""

    name: str
    reason: str
    attempt: int
    """Number of the attempt, from 1. It starts from 1 again after a long uptime."""
    delay: float
    """Seconds until the process is started again."""


def log_restart(restart: Restart) -> None:
    """Log a restart as one structured warning."""
    logger.warning("restarting", name=restart.name, reason=restart.reason, attempt=restart.attempt, delay=restart.delay)


class Supervisor:
    """A supervisor that starts processes in the given order, restarts those that end, and stops all in reverse order.

    With `together` it starts all concurrently and stops all concurrently.
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
        """Start all stopped processes and return when all are ready.

        If one fails, all are stopped and the error is raised.
        """
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
        """Stop all processes, even if stopping one of them fails. The error is raised when all others are stopped."""
        if self._together:
            await _all(thing.stop() for thing in self._things)
            return
        async with AsyncExitStack() as stack:
            for thing in self._things:
                stack.push_async_callback(thing.stop)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[asyncio.Task[None]]:
        """Run all processes during the context, restart those that end, and stop all at the end of the context.

        Yields the supervision task. It ends before the context only after a programming error.
        """
        await self.start()
        keeping = asyncio.create_task(self._keep_all())
        try:
            yield keeping
        finally:
            await cancel_and_wait(keeping)
            await self.stop()
        if not keeping.cancelled():
            keeping.result()

    async def run_until(self, stop_event: asyncio.Event) -> None:
        """Start all processes, restart those that end until the event is set, then stop all.

        Raises ServerFailed if a process fails at its first start. Later failures do not end the supervision: a process
        is restarted without limit.
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
        async with self.running() as keeping:
            await asyncio.wait((keeping,))

    async def _keep_all(self) -> None:
        """Keep all processes. Nothing is begun if this is cancelled before it runs."""
        await run_together(*map(self._keep, self._things))

    async def _keep(self, thing: Supervised) -> None:
        attempts, loop = 0, asyncio.get_running_loop()
        while True:
            since = loop.time()
            code = await thing.wait()
            if loop.time() - since >= self._steady_seconds:
                attempts = 0
            attempts = await self._revive(thing, f"ended with {code}", attempts)

    async def _revive(self, thing: Supervised, reason: str, attempts: int) -> int:
        """Restart a process until a start succeeds. Return the number of attempts since its last long uptime."""
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
    """Run all coroutines concurrently and wait until all have ended, then raise the first error if one failed."""
    for outcome in await asyncio.gather(*work, return_exceptions=True):
        if outcome is not None:
            raise outcome
