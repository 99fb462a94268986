"""Cooperative yielding: long work lets the event loop run every few milliseconds."""

import asyncio
from time import perf_counter
from typing import Final

SLICE_SECONDS: Final = 0.002
"""Seconds of work between two yields to the event loop (PIANO.md)."""


class TimeSlice:
    """A time slice of one piece of work, which begins now and after each yield."""

    def __init__(self, seconds: float = SLICE_SECONDS) -> None:
        """Begin the first slice of so many seconds."""
        self._seconds, self._since = seconds, perf_counter()

    @property
    def over(self) -> bool:
        """True if the slice is used up."""
        return perf_counter() - self._since > self._seconds

    async def __call__(self) -> None:
        """Yield to the event loop if the slice is used up. Called between two steps."""
        if self.over:
            await asyncio.sleep(0)
            self._since = perf_counter()
