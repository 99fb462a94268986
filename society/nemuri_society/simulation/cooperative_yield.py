"""Cooperative yielding: long work lets the event loop run every few milliseconds."""

import asyncio
from time import perf_counter
from typing import Final

SLICE_SECONDS: Final = 0.002
"""Seconds of work between two yields to the event loop (PIANO)."""


class TimeSlice:
    """A time slice of a long piece of work. It begins when it is created, and again after each yield."""

    def __init__(self, seconds: float = SLICE_SECONDS) -> None:
        """Begin the first slice, which lasts `seconds` seconds."""
        self._seconds, self._since = seconds, perf_counter()

    @property
    def over(self) -> bool:
        """True if the slice is used up."""
        return perf_counter() - self._since > self._seconds

    async def __call__(self) -> None:
        """Yield to the event loop and begin a new slice, if the slice is used up. Call this between two steps of the
        work.
        """
        if self.over:
            await asyncio.sleep(0)
            self._since = perf_counter()
