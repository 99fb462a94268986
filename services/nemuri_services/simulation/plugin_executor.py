"""Where modules run that take their time: those that block in threads, coroutines on a loop of their own.

So whatever a plug-in does, sleeping in a thread or in a coroutine that should have awaited, the host goes on.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Final

from nemuri_domain.cognition.engine import Pending
from nemuri_infra.process.cancellation import end

ENDING: Final = (SystemExit, KeyboardInterrupt, asyncio.CancelledError)
"""What would end a process, a loop or a task that waits for it."""
THREADS: Final = 8
"""Runs at once of one module that blocks; others of it wait, but nobody else does."""


class Aside:
    """Threads for what blocks, by module, and a loop for coroutines, by module too."""

    def __init__(self) -> None:
        """Nothing runs until something is to."""
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._loops: dict[str, asyncio.AbstractEventLoop] = {}

    async def run(self, pending: Pending) -> Any:
        """What the module made; raises what it raised, RuntimeError for what would have ended more than its run."""
        name, work = pending.slot.module.spec.name, pending.work
        if callable(work):
            return await asyncio.wrap_future(self._submitted(name, partial(_called, work)))
        if isinstance(work, Awaitable):
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_awaited(work), self._loop(name)))
        return work

    def close(self) -> None:
        """End what can be ended; what blocks ends with the process."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        for loop in self._loops.values():
            loop.call_soon_threadsafe(loop.stop)

    def _submitted(self, name: str, work: Callable[[], Any]) -> "Future[Any]":
        if name not in self._pools:
            self._pools[name] = ThreadPoolExecutor(THREADS, thread_name_prefix=name)
        return self._pools[name].submit(work)

    def _loop(self, name: str) -> asyncio.AbstractEventLoop:
        if name not in self._loops:
            self._loops[name] = asyncio.new_event_loop()
            threading.Thread(target=_turn, args=(self._loops[name],), name=name, daemon=True).start()
        return self._loops[name]


def _turn(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped, and tidy up after what was still going on in it."""
    loop.run_forever()
    loop.run_until_complete(_ended())
    loop.close()


async def _ended() -> None:
    await end(*(asyncio.all_tasks() - {asyncio.current_task()}))


def _called(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except ENDING as error:
        raise RuntimeError(f"it raised {type(error).__name__}") from error


async def _awaited(work: Awaitable[Any]) -> Any:
    try:
        return await work
    except ENDING as error:
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise  # not the module ends, but its loop
        raise RuntimeError(f"it raised {type(error).__name__}") from error
