"""Reliable cancellation of background tasks."""

import asyncio
from collections.abc import Coroutine
from typing import Any

REPEAT_SECONDS = 5.0
"""Seconds for clean-up after which a task is cancelled again."""


async def cancel_and_wait(*work: "asyncio.Future[Any]") -> None:
    """Cancel all tasks and return when they have ended, with any outcome.

    One cancellation is not enough. Before Python 3.12 `asyncio.wait_for`, and so the drivers, loses a cancellation that
    arrives together with the awaited result. An endless task then goes on, and its waiter hangs. If the caller is
    cancelled while it waits here, it cancels the tasks once more, and is cancelled at the end.
    """
    cancelled: asyncio.CancelledError | None = None
    while going := [each for each in work if not each.done()]:
        for each in going:
            each.cancel()
        try:
            await asyncio.wait(going, timeout=REPEAT_SECONDS)
        except asyncio.CancelledError as error:
            cancelled = error
    await asyncio.gather(*work, return_exceptions=True)
    if cancelled is not None:
        raise cancelled


async def run_together(*work: Coroutine[Any, Any, None]) -> None:
    """Run all coroutines concurrently. If one fails, or this is cancelled, the others are ended as by `end`.

    Raises the first error. A task group would cancel its tasks only once, and wait without end for one that lost it.
    """
    tasks, done = [asyncio.create_task(each) for each in work], set[asyncio.Task[None]]()
    try:
        if tasks:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        await cancel_and_wait(*tasks)
    for each in done:
        each.result()
