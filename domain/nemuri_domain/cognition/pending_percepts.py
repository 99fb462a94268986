"""What agents were told and have not taken in yet: a world tells a thousand at once, and each takes in its own."""

from collections import deque
from dataclasses import dataclass, field

from nemuri_domain.cognition.percept_updates import Plain

Told = Plain | bytes
"""A percept, in bytes as JSON."""


@dataclass(slots=True)
class Untaken:
    """What one agent was told."""

    since: float = 0.0
    """When it was told the first of what happened."""
    pressing: list[Told] = field(default_factory=list)
    """What happened, in the order of the telling."""
    calm: Told | None = None
    """How it is now, where nothing has happened since."""


class Senses:
    """Between the world and the agents of a host. Times are seconds of the society's clock."""

    def __init__(self) -> None:
        """Nobody has been told anything."""
        self._untaken: dict[str, Untaken] = {}
        self._order: deque[tuple[str, Untaken]] = deque()
        """Those who were told what happened; some may have taken it in by themselves."""

    def tell(self, agent_id: str, percept: Told, now: float, *, calm: bool) -> None:
        """Keep what an agent is told: how it is now only once, what happened until it is taken in."""
        untaken = self._untaken.setdefault(agent_id, Untaken())
        if calm:
            untaken.calm = percept
            return
        if not untaken.pressing:
            untaken.since = now
            self._order.append((agent_id, untaken))
        untaken.pressing.append(percept)
        untaken.calm = None

    def take(self, agent_id: str) -> list[Told]:
        """All that an agent was told, the oldest first; it is taken in then."""
        untaken = self._untaken.pop(agent_id, Untaken())
        return untaken.pressing if untaken.calm is None else [*untaken.pressing, untaken.calm]

    def first(self, now: float, patience: float = 0.0) -> tuple[str, float] | None:
        """Who has waited longest to take in what happened, and how many seconds; None where nobody has for so long."""
        while self._order:
            agent_id, untaken = self._order[0]
            if self._untaken.get(agent_id) is untaken:
                waited = now - untaken.since
                return (agent_id, waited) if waited >= patience else None
            self._order.popleft()
        return None
