"""Turns on the loop of a host: long work stops every few milliseconds, so that nothing due waits for its end."""

import asyncio
from time import perf_counter
from typing import Final

YIELD: Final = 0.002
"""Seconds after which whatever else waits for the loop has its turn (PIANO.md)."""


class Turns:
    """The turns of one piece of work; its first begins now."""

    def __init__(self, seconds: float = YIELD) -> None:
        """Its first turn, of so many seconds, has just begun."""
        self._seconds, self._since = seconds, perf_counter()

    @property
    def over(self) -> bool:
        """Whether this turn has lasted long enough."""
        return perf_counter() - self._since > self._seconds

    async def __call__(self) -> None:
        """Called between two steps: lets others have the loop where it is their turn."""
        if self.over:
            await asyncio.sleep(0)
            self._since = perf_counter()
