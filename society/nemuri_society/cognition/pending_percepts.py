"""Queues of percepts that agents have not read yet. A world sends percepts to all agents at once; each reads its own
later.
"""

from collections import deque
from dataclasses import dataclass, field

from nemuri_society.cognition.percept_updates import PlainPercept

QueuedPercept = PlainPercept | bytes
"""A percept as plain values, or as JSON bytes."""


@dataclass(slots=True)
class UnreadPercepts:
    """The unread percepts of one agent."""

    since: float = 0.0
    """Second at which the first unread percept with an event was queued."""
    pressing: list[QueuedPercept] = field(default_factory=list)
    """Percepts with events, oldest first."""
    calm: QueuedPercept | None = None
    """The newest percept without an event; None if a percept with an event was queued after it."""


class PerceptQueue:
    """The unread percepts of all agents of a host. All times are seconds of the simulation clock."""

    def __init__(self) -> None:
        """Create an empty queue."""
        self._untaken: dict[str, UnreadPercepts] = {}
        self._order: deque[tuple[str, UnreadPercepts]] = deque()
        """Agents with unread events, the longest wait first. An entry whose percepts were read meanwhile is skipped."""

    def tell(self, agent_id: str, percept: QueuedPercept, now: float, *, calm: bool) -> None:
        """Queue a percept. Every percept with an event is kept, but only the newest calm one, and only if no event
        follows it.
        """
        untaken = self._untaken.setdefault(agent_id, UnreadPercepts())
        if calm:
            untaken.calm = percept
            return
        if not untaken.pressing:
            untaken.since = now
            self._order.append((agent_id, untaken))
        untaken.pressing.append(percept)
        untaken.calm = None

    def take(self, agent_id: str) -> list[QueuedPercept]:
        """Remove and return the unread percepts of an agent, oldest first."""
        untaken = self._untaken.pop(agent_id, UnreadPercepts())
        return untaken.pressing if untaken.calm is None else [*untaken.pressing, untaken.calm]

    def first(self, now: float, patience: float = 0.0) -> tuple[str, float] | None:
        """Return the agent whose events have waited longest, and the seconds that they have waited.

        None if no events have waited for at least `patience` seconds.
        """
        while self._order:
            agent_id, untaken = self._order[0]
            if self._untaken.get(agent_id) is untaken:
                waited = now - untaken.since
                return (agent_id, waited) if waited >= patience else None
            self._order.popleft()
        return None
