"""Queued percepts of agents. A world sends percepts to all agents at once; each agent reads its own later."""

from collections import deque
from dataclasses import dataclass, field

from nemuri_domain.cognition.percept_updates import PlainPercept

QueuedPercept = PlainPercept | bytes
"""A percept as plain values, or as JSON bytes."""


@dataclass(slots=True)
class UnreadPercepts:
    """The unread percepts of one agent."""

    since: float = 0.0
    """Second of the first unread percept with an event."""
    pressing: list[QueuedPercept] = field(default_factory=list)
    """Percepts with events, oldest first."""
    calm: QueuedPercept | None = None
    """The newest percept without an event, if no percept with an event came after it."""


class PerceptQueue:
    """The unread percepts of all agents of a host. Times are seconds of the simulation clock."""

    def __init__(self) -> None:
        """Create an empty queue."""
        self._untaken: dict[str, UnreadPercepts] = {}
        self._order: deque[tuple[str, UnreadPercepts]] = deque()
        """Agents with unread events, oldest first. Entries of agents that have read them already are skipped."""

    def tell(self, agent_id: str, percept: QueuedPercept, now: float, *, calm: bool) -> None:
        """Queue a percept. Only the newest calm percept is kept, and every percept with an event."""
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
        """Return the agent whose events have waited longest and their age in seconds. None if none waits for `patience`
        seconds.
        """
        while self._order:
            agent_id, untaken = self._order[0]
            if self._untaken.get(agent_id) is untaken:
                waited = now - untaken.since
                return (agent_id, waited) if waited >= patience else None
            self._order.popleft()
        return None
