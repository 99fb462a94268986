"""Who is served next when more is asked than models can answer, and how slow everything slower becomes (PIANO.md).

Each question has a deadline: when it was asked, and how patient its module is. The earliest deadline is served first.
So the controller comes first, within a module nobody is passed over, and nothing starves behind those before it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, Final

from nemuri.domain.cognition.module import Prompt, Rank

PATIENCE: Final[Mapping[Rank, float]] = {
    Rank.CONTROLLER: 0.0,
    Rank.TALKING: 2.0,
    Rank.SOCIAL: 4.0,
    Rank.PLANNING: 8.0,
    Rank.REFLECTION: 16.0,
}
"""Seconds that a question may wait behind those of the controller that were asked as early."""
STALE: Final[Mapping[Rank, float]] = {
    Rank.CONTROLLER: 30.0,
    Rank.TALKING: 15.0,
    Rank.SOCIAL: 30.0,
    Rank.PLANNING: 60.0,
    Rank.REFLECTION: 120.0,
}
"""Seconds after which nobody wants to know any more: the situation is another one."""


@dataclass(slots=True)
class Thought:
    """A question to a model that waits for its turn."""

    agent_id: str
    rank: Rank
    prompt: Prompt
    asked_at: float
    ticket: Any = None
    """By what whoever asked knows it again."""


class Waiting:
    """The questions that wait, the one with the earliest deadline first."""

    def __init__(self) -> None:
        """Nobody waits."""
        self._heap: list[tuple[float, int, Thought]] = []
        self._order = count()

    def __len__(self) -> int:
        """How many wait."""
        return len(self._heap)

    @property
    def oldest(self) -> float | None:
        """When what is served next was asked; None where nobody waits."""
        return self._heap[0][2].asked_at if self._heap else None

    def put(self, thought: Thought) -> None:
        """Let a question wait."""
        heappush(self._heap, (thought.asked_at + PATIENCE[thought.rank], next(self._order), thought))

    def next(self, now: float) -> tuple[Thought | None, list[Thought]]:
        """The question whose turn it is, None where nobody waits; and those that grew stale before it."""
        stale = list[Thought]()
        while self._heap:
            thought = heappop(self._heap)[2]
            if now - thought.asked_at <= STALE[thought.rank]:
                return thought, stale
            stale.append(thought)
        return None, stale

    def forget(self, agent_ids: frozenset[str]) -> list[Thought]:
        """These agents have gone: takes out what they asked."""
        gone = [each[2] for each in self._heap if each[2].agent_id in agent_ids]
        self._heap = [each for each in self._heap if each[2].agent_id not in agent_ids]
        heapify(self._heap)
        return gone


TARGET: Final = 1.0
"""Seconds that questions may wait on average before everything that asks is slowed down."""
LONGEST: Final = 64.0
"""By how much intervals are stretched at most."""
GAIN: Final = 0.01
"""How far a second moves the stretch: little, for its effect shows only after the intervals that it has stretched."""
LEAST, MOST = 0.5, 4.0
"""What of the wait over its target counts in one second, so that a crowd at the beginning says little for later."""


@dataclass(slots=True)
class Load:
    """How much slower those run that ask models, found from how long they wait."""

    stretch: float = 1.0
    _waits: list[float] = field(default_factory=list)

    def waited(self, seconds: float) -> None:
        """A question got its turn after so long."""
        self._waits.append(seconds)

    def adjust(self, oldest: float) -> float:
        """Called every second; `oldest` is how long the first in the queue waits now. The stretch from here on."""
        mean = sum(self._waits) / len(self._waits) if self._waits else oldest
        self._waits.clear()
        pressing = max(mean, oldest if mean else 0.0) / TARGET
        self.stretch = min(LONGEST, max(1.0, self.stretch * min(MOST, max(LEAST, pressing)) ** GAIN))
        return self.stretch
