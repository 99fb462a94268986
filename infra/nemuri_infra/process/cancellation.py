"""Ending work in the background: it is asked until it has ended."""

import asyncio
from collections.abc import Coroutine
from typing import Any

AGAIN = 5.0
"""Seconds that work has for tidying up before it is asked once more."""


async def end(*work: "asyncio.Future[Any]") -> None:
    """Cancel all of it and return once it has ended, however it did.

    To ask once is not enough. Before Python 3.12 `asyncio.wait_for`, and with it the drivers, forgets a cancellation
    that comes in the same moment as what is waited for. Work that goes on for ever then goes on, and whoever waits for
    its end waits for ever too. Who is cancelled while he waits here asks once more, and is cancelled in the end.
    """
    cancelled: asyncio.CancelledError | None = None
    while going := [each for each in work if not each.done()]:
        for each in going:
            each.cancel()
        try:
            await asyncio.wait(going, timeout=AGAIN)
        except asyncio.CancelledError as error:
            cancelled = error
    await asyncio.gather(*work, return_exceptions=True)
    if cancelled is not None:
        raise cancelled


async def together(*work: Coroutine[Any, Any, None]) -> None:
    """Do all of it at once; when some of it fails, or this is cancelled, the rest is ended as by `end`.

    Raises what failed first. A task group asks its tasks only once to end, and waits for ever for one that forgot it.
    """
    tasks, done = [asyncio.create_task(each) for each in work], set[asyncio.Task[None]]()
    try:
        if tasks:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        await end(*tasks)
    for each in done:
        each.result()
