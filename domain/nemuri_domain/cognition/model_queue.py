"""Who has the next turn at a model where more want one than models can answer (PIANO.md).

Who is due waits in line *before* it looks at the agent's state, so a question is never older than its turn: none grows
stale, and none is put into words in vain. Each has a deadline, the moment it was due and how patient its module is, and
the earliest is first: the controller before the others, nobody passed over for ever. Where too many wait, everybody's
turns come less often, by just as much as it takes.
"""

from collections.abc import Mapping
from heapq import heappop, heappush
from itertools import count
from typing import Final, Generic, TypeVar

from nemuri_domain.cognition.module import Rank

T = TypeVar("T")

PATIENCE: Final[Mapping[Rank, float]] = {
    Rank.CONTROLLER: 0.0,
    Rank.TALKING: 2.0,
    Rank.SOCIAL: 4.0,
    Rank.PLANNING: 8.0,
    Rank.REFLECTION: 16.0,
}
"""Seconds that a module may wait behind a controller that was due as early."""
HURRY: Final = 30.0
"""Seconds by which something urgent is preferred to what is not: enough to be next, and nobody waits for ever."""


class Line(Generic[T]):
    """Those who wait for their turn, the one with the earliest deadline first."""

    def __init__(self) -> None:
        """Nobody waits."""
        self._heap: list[tuple[float, int, float, T]] = []
        self._order = count()

    def __len__(self) -> int:
        """How many wait; who came twice, in a hurry, counts twice."""
        return len(self._heap)

    def put(self, item: T, due: float, rank: Rank, *, urgent: bool) -> None:
        """Let somebody wait, or go further ahead, who was due at that second."""
        deadline = due + PATIENCE[rank] - HURRY * urgent
        heappush(self._heap, (deadline, next(self._order), due, item))

    def next(self) -> tuple[float, T] | None:
        """Whose turn it is, with when it was due; None where nobody waits."""
        if not self._heap:
            return None
        _, _, due, item = heappop(self._heap)
        return due, item
