"""Keeps servers and workers running until they are told to stop."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import structlog

from nemuri_infra.embedded.child_processes import ServerFailed
from nemuri_infra.process.cancellation import end, together

logger = structlog.get_logger(__name__)

FIRST_DELAY = 0.1
LONGEST_DELAY = 10.0
STEADY_SECONDS = 30.0
"""Who stayed up as long as this is started again at once, whatever came before."""


class Supervised(Protocol):
    """A process that can be started again on the same address: a Child, an EmbeddedNats, an EmbeddedPostgres."""

    @property
    def name(self) -> str:
        """How reports call it."""

    async def start(self) -> None:
        """Return when it is ready; nothing if it runs. Raises ServerFailed."""

    async def wait(self) -> int:
        """Return the exit code when it has ended."""

    async def stop(self) -> None:
        """Return when it has ended; fine if it never ran."""


@dataclass(frozen=True)
class Restart:
    """Something ended or did not start, and is about to be started again."""

    name: str
    reason: str
    attempt: int
    """Counts from 1, and again from 1 after it stayed up."""
    delay: float
    """Seconds until the start."""


def log_restart(restart: Restart) -> None:
    """Report a restart as one structured log line."""
    logger.warning("restarting", name=restart.name, reason=restart.reason, attempt=restart.attempt, delay=restart.delay)


class Supervisor:
    """Starts things in the order given, starts again whichever ends by itself, and ends all in reverse order.

    With `together` all are started at the same time, and ended so.
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
        """Start what does not run; returns when all are ready. On any failure all are stopped again."""
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
        """End all, the rest too if one of them fails to."""
        if self._together:
            await _all(thing.stop() for thing in self._things)
            return
        async with AsyncExitStack() as stack:
            for thing in self._things:
                stack.push_async_callback(thing.stop)

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[asyncio.Task[None]]:
        """All run, are started again when they die, and are ended at the end of the context.

        The task that sees to it ends earlier only by an error of ours.
        """
        await self.start()
        keeping = asyncio.create_task(together(*map(self._keep, self._things)))
        try:
            yield keeping
        finally:
            await end(keeping)
            await self.stop()
        if not keeping.cancelled():
            keeping.result()

    async def run_until(self, stop_event: asyncio.Event) -> None:
        """Start all, keep them running until the event is set, end all. Raises ServerFailed if one does not come up.

        After the first start no failure of a thing ends the supervision: it is tried again for ever.
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
        """Start it again, however often that takes; how many attempts were made since it last stayed up."""
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
    """Do all at the same time, the rest too if one fails; then raise its error."""
    for outcome in await asyncio.gather(*work, return_exceptions=True):
        if outcome is not None:
            raise outcome
