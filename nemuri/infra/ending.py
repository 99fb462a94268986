"""Ending work in the background: it is asked until it has ended."""

import asyncio
from typing import Any

AGAIN = 5.0
"""Seconds that work has for tidying up before it is asked once more."""


async def end(*work: "asyncio.Future[Any]") -> None:
    """Cancel all of it and return once it has ended, however it did.

    To ask once is not enough. Before Python 3.12 `asyncio.wait_for`, and with it the drivers, forgets a cancellation
    that comes in the same moment as what is waited for. Work that goes on for ever then goes on, and whoever waits for
    its end waits for ever too.
    """
    while going := [each for each in work if not each.done()]:
        for each in going:
            each.cancel()
        await asyncio.wait(going, timeout=AGAIN)
    await asyncio.gather(*work, return_exceptions=True)
