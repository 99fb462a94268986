"""Reliable cancellation of background tasks."""

import asyncio
from collections.abc import Coroutine
from typing import Any

REPEAT_SECONDS = 5.0
"""Seconds that a cancelled task has to clean up before it is cancelled again."""


async def cancel_and_wait(*work: "asyncio.Future[Any]", repeat: float | None = None) -> None:
    """Cancel all tasks and wait until all have ended. Their results and errors are ignored.

    One cancellation is not enough. Before Python 3.12 `asyncio.wait_for`, which the drivers use, loses a cancellation
    that arrives together with the awaited result. An endless task then goes on, and its waiter hangs. So tasks are
    cancelled again every `repeat` seconds, by default every `REPEAT_SECONDS`.

    If the caller is cancelled while it waits, the tasks are cancelled once more, and `CancelledError` is raised when
    they have ended.
    """
    cancelled: asyncio.CancelledError | None = None
    while unfinished := [task for task in work if not task.done()]:
        for task in unfinished:
            task.cancel()
        try:
            await asyncio.wait(unfinished, timeout=REPEAT_SECONDS if repeat is None else repeat)
        except asyncio.CancelledError as error:
            cancelled = error
    await asyncio.gather(*work, return_exceptions=True)
    if cancelled is not None:
        raise cancelled


async def run_together(*work: Coroutine[Any, Any, None]) -> None:
    """Run all coroutines concurrently and wait until all have ended.

    If one fails, or the caller is cancelled, the others are ended by `cancel_and_wait`. Raises the first error. A task
    group would cancel its tasks only once, and wait without end for a task that lost the cancellation.
    """
    tasks, done = [asyncio.create_task(coroutine) for coroutine in work], set[asyncio.Task[None]]()
    try:
        if tasks:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        await cancel_and_wait(*tasks)
    for task in done:
        task.result()
