"""An executor for modules that take time: threads for blocking functions, and separate event loops for coroutines.

The host continues even if a plug-in blocks its thread or its event loop.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Final

from nemuri_domain.cognition.engine import Pending
from nemuri_infra.process.cancellation import cancel_and_wait

FATAL_ERRORS: Final = (SystemExit, KeyboardInterrupt, asyncio.CancelledError)
"""Exceptions that would end a process, an event loop or a waiting task."""
MAX_THREADS: Final = 8
"""Concurrent runs of one blocking module, at most. Further runs of this module wait."""


class PluginExecutor:
    """A thread pool for each blocking module and an event loop for each module with coroutines."""

    def __init__(self) -> None:
        """Create an executor without threads. They start when needed."""
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._loops: dict[str, asyncio.AbstractEventLoop] = {}

    async def run(self, pending: Pending) -> Any:
        """Return the result of a run. Raise its error, or RuntimeError for an exception that would end more than the
        run.
        """
        name, work = pending.slot.module.spec.name, pending.work
        if callable(work):
            return await asyncio.wrap_future(self._submit(name, partial(_call, work)))
        if isinstance(work, Awaitable):
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_await(work), self._loop(name)))
        return work

    def close(self) -> None:
        """Stop pools and loops without waiting. Blocked threads end with the process."""
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
    """Run a loop until it is stopped, then cancel its remaining tasks."""
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
