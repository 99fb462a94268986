"""A timing wheel: what is due when, in slots of ten milliseconds, for very many small timers (PIANO.md)."""

from collections import defaultdict
from collections.abc import Iterator
from math import ceil
from typing import Final, Generic, TypeVar

T = TypeVar("T")

SLOT: Final = 0.01
"""Seconds of a slot."""


class Wheel(Generic[T]):
    """Timers that cost the same however many there are; none rings early, all within one slot of their time."""

    def __init__(self, now: float) -> None:
        """Begins at a moment, in seconds of any clock that never goes back."""
        self._slots: defaultdict[int, list[tuple[float, T]]] = defaultdict(list)
        self._next = ceil(now / SLOT)

    def set(self, due: float, item: T) -> None:
        """Let an item ring at a moment; what is overdue already rings next."""
        self._slots[max(self._next, ceil(due / SLOT - 1e-9))].append((due, item))

    def ring(self, now: float) -> Iterator[tuple[float, T]]:
        """What is due by now, the earliest slot first, with when it was due.

        What is set while it is read rings in this reading if its time has come. Who stops reading loses nothing.
        """
        last = int(now / SLOT + 1e-9)
        while self._next <= last:
            waiting = self._slots.get(self._next)
            while waiting:
                yield waiting.pop()
            self._slots.pop(self._next, None)
            self._next += 1

    @property
    def earliest(self) -> float | None:
        """When the next slot with something in it begins, in seconds; None where nothing waits."""
        return min(self._slots) * SLOT if self._slots else None
