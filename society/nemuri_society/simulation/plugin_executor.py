"""An executor for modules whose runs take time. Blocking functions run in threads, coroutines in separate event loops.

So the host continues even if a plug-in blocks its thread or its event loop.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Final

from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_society.cognition.engine import Pending

FATAL_ERRORS: Final = (SystemExit, KeyboardInterrupt, asyncio.CancelledError)
"""Exceptions that a plug-in must not raise into the host, because they end a process, an event loop or a waiting task.
"""
MAX_THREADS: Final = 8
"""Maximum number of concurrent runs of one blocking module. Its further runs wait."""


class PluginExecutor:
    """A thread pool for each module with blocking functions, and an event loop for each module with coroutines."""

    def __init__(self) -> None:
        """Create an executor without threads. A module's threads start with its first run."""
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._loops: dict[str, asyncio.AbstractEventLoop] = {}

    async def run(self, pending: Pending) -> Any:
        """Wait for the result of a run and return it.

        Raises the error of the run. An exception in `FATAL_ERRORS` becomes a RuntimeError.
        """
        name, work = pending.slot.module.spec.name, pending.work
        if callable(work):
            return await asyncio.wrap_future(self._submit(name, partial(_call, work)))
        if isinstance(work, Awaitable):
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_await(work), self._loop(name)))
        return work

    def close(self) -> None:
        """Stop all pools and event loops without waiting. A thread that is blocked continues until the process ends."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        for loop in self._loops.values():
            loop.call_soon_threadsafe(loop.stop)

    def _submit(self, name: str, work: Callable[[], Any]) -> "Future[Any]":
        if name not in self._pools:
            self._pools[name] = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix=name)
        return self._pools[name].submit(work)

    def _loop(self, name: str) -> asyncio.AbstractEventLoop:
        if name not in self._loops:
            self._loops[name] = asyncio.new_event_loop()
            threading.Thread(target=_run_loop, args=(self._loops[name],), name=name, daemon=True).start()
        return self._loops[name]


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Run an event loop until it is stopped, then cancel its remaining tasks and close it."""
    loop.run_forever()
    loop.run_until_complete(_cancel_remaining_tasks())
    loop.close()


async def _cancel_remaining_tasks() -> None:
    await cancel_and_wait(*(asyncio.all_tasks() - {asyncio.current_task()}))


def _call(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except FATAL_ERRORS as error:
        raise RuntimeError(f"the module raised {type(error).__name__}") from error


async def _await(work: Awaitable[Any]) -> Any:
    try:
        return await work
    except FATAL_ERRORS as error:
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise  # The loop is being stopped; the module did not raise this.
        raise RuntimeError(f"the module raised {type(error).__name__}") from error
