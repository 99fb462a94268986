"""A timing wheel with slots of ten milliseconds, for a large number of short timers (PIANO.md)."""

from collections import defaultdict
from collections.abc import Iterator
from math import ceil
from typing import Final, Generic, TypeVar

T = TypeVar("T")

SLOT_SECONDS: Final = 0.01
"""Length of a slot in seconds."""


class TimingWheel(Generic[T]):
    """A set of timers. The cost of setting a timer does not depend on the number of timers.

    A timer never fires early, and fires within one slot of its time.
    """

    def __init__(self, now: float) -> None:
        """Create a wheel that starts at `now`, in seconds of any monotonic clock."""
        self._slots: defaultdict[int, list[tuple[float, T]]] = defaultdict(list)
        self._next = ceil(now / SLOT_SECONDS)

    def set(self, due: float, item: T) -> None:
        """Set a timer that fires at the second `due`. An overdue timer fires in the next call of `ring`."""
        self._slots[max(self._next, ceil(due / SLOT_SECONDS - 1e-9))].append((due, item))

    def ring(self, now: float) -> Iterator[tuple[float, T]]:
        """Yield the due second and the item of each timer that is due at `now`, and remove it. The earliest slot comes
        first.

        Timers that are set during the iteration are included if they are due. The caller may stop iterating without
        losing timers.
        """
        last = int(now / SLOT_SECONDS + 1e-9)
        while self._next <= last:
            waiting = self._slots.get(self._next)
            while waiting:
                yield waiting.pop()
            self._slots.pop(self._next, None)
            self._next += 1

    @property
    def earliest(self) -> float | None:
        """Second at which the next slot with a timer begins; None if there are no timers."""
        return min(self._slots) * SLOT_SECONDS if self._slots else None
