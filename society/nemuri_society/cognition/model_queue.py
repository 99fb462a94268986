"""A deadline queue for model requests, for times with more requests than the models can answer (PIANO.md).

A module waits in the queue *before* it takes its snapshot, so a prompt is never older than the moment at which its
request starts. The deadline of an entry is the second at which it was due, plus the patience of its rank. The earliest
deadline is first: the controller goes before other modules, and no entry starves. Under overload all modules run less
often, but no less often than necessary.
"""

from collections.abc import Mapping
from heapq import heappop, heappush
from itertools import count
from typing import Final, Generic, TypeVar

from nemuri_society.cognition.module import Rank

T = TypeVar("T")

PATIENCE_SECONDS: Final[Mapping[Rank, float]] = {
    Rank.CONTROLLER: 0.0,
    Rank.TALKING: 2.0,
    Rank.SOCIAL: 4.0,
    Rank.PLANNING: 8.0,
    Rank.REFLECTION: 16.0,
}
"""Patience by rank: the seconds that a module waits behind a controller that was due at the same time."""
URGENCY_BONUS: Final = 30.0
"""Seconds by which the deadline of an urgent entry is earlier. It is usually next, but other entries do not starve."""


class DeadlineQueue(Generic[T]):
    """A priority queue, earliest deadline first."""

    def __init__(self) -> None:
        """Create an empty queue."""
        self._heap: list[tuple[float, int, float, T]] = []
        self._order = count()

    def __len__(self) -> int:
        """Return the number of entries. An item that was added twice counts twice."""
        return len(self._heap)

    def put(self, item: T, due: float, rank: Rank, *, urgent: bool) -> None:
        """Add an item that was due at the second `due`. An item may be added again with an earlier deadline."""
        deadline = due + PATIENCE_SECONDS[rank] - URGENCY_BONUS * urgent
        heappush(self._heap, (deadline, next(self._order), due, item))

    def next(self) -> tuple[float, T] | None:
        """Remove the item with the earliest deadline. Return its due second and the item; None if the queue is
        empty.
        """
        if not self._heap:
            return None
        _, _, due, item = heappop(self._heap)
        return due, item
