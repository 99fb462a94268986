"""What kind of moment it is: danger, a conversation, work or looking around (document 002 §1.4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal

from pydantic import JsonValue

from nemuri_domain.cognition.percept_updates import listed
from nemuri_domain.cognition.person_names import holds, parts
from nemuri_domain.cognition.shared_state import Snapshot

Context = Literal["danger", "conversation", "work", "exploration"]
"""What an agent is mainly in the midst of."""
READS: Final = frozenset({"percepts", "conversations", "action_corrections", "decision", "plans", "profile"})
"""The sections that the situation is found from."""
HOSTILE: Final = frozenset({"zombie", "skeleton", "spider", "creeper", "witch", "enderman"})
"""Creatures that strike."""
NEAR_DANGER: Final = 8.0
"""Blocks within which such a creature is a danger."""
TALK: Final = 15.0
"""Seconds for which a conversation goes on after somebody has spoken."""
MINDED: Final = 12
"""How many utterances of others are looked through for one's name."""
QUIET: Final = 5.0
"""Seconds after which unchanged surroundings count as unchanged."""
CROWD: Final = 4
"""So many others are full company."""
WEAK: Final = 6
"""Points of health or hunger from which on it presses."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What rules may know of the moment."""

    hurt: bool
    """Whether it lost health since its last decision."""
    threat: float | None
    """Blocks to the nearest creature that strikes, None where none is near."""
    weak: bool
    anomalies: int
    near: tuple[str, ...]
    """The other agents in sight, by name, the nearest first."""
    talking: bool
    """Whether somebody else spoke a moment ago."""
    addressed: bool
    """Whether somebody has named it since its last decision."""
    working: bool
    """Whether it has a plan under way."""
    still: bool
    """Whether nothing in the surroundings has changed for some seconds."""

    @property
    def danger(self) -> bool:
        """Whether health is at stake."""
        return self.hurt or self.threat is not None

    @property
    def context(self) -> Context:
        """The most pressing of what goes on."""
        if self.danger:
            return "danger"
        if self.talking:
            return "conversation"
        return "work" if self.working else "exploration"

    @property
    def urgency(self) -> float:
        """0 to 1: how much room alerts need in a prompt."""
        if self.hurt:
            return 1.0
        return max(0.8 * (self.threat is not None), min(1.0, 0.3 * self.anomalies), 0.3 * self.weak)

    @property
    def company(self) -> float:
        """0 to 1: how much room the others need in a prompt."""
        return min(1.0, len(self.near) / CROWD) * (1.0 if self.talking else 0.5)


def situation_of(snapshot: Snapshot) -> Situation:
    """The situation that the sections of `READS` show."""
    percepts = snapshot["percepts"]
    decided = decided_at(snapshot)
    others = said_by_others(snapshot, MINDED)
    heard = max((number(each.get("second")) for each in others), default=None)
    near = threats(percepts)
    return Situation(
        hurt=hurt_since(snapshot, decided),
        threat=near[0][1] if near else None,
        weak=any(number(percepts.get(each), WEAK + 1) <= WEAK for each in ("health", "hunger")),
        anomalies=int(number(snapshot["action_corrections"].get("anomalies"))),
        near=tuple(in_sight(percepts)),
        talking=heard is not None and snapshot.second - heard <= TALK,
        addressed=any(names(each, snapshot) for each in others if number(each.get("second")) > decided),
        working=snapshot["plans"].get("status") == "active",
        still=min(snapshot.age("percepts"), snapshot.age("conversations")) >= QUIET,
    )


def decided_at(snapshot: Snapshot) -> float:
    """The second of the last decision; before all others where there is none."""
    return number(snapshot["decision"].get("at"), -1.0)


def hurt_since(snapshot: Snapshot, second: float) -> bool:
    """Whether it lost health after that second."""
    return number(snapshot["percepts"].get("hurt_at"), -1.0) > second


def sighted(percepts: Mapping[str, JsonValue]) -> list[dict[str, Any]]:
    """Agents and creatures in sight, the nearest first."""
    return [each for each in listed(percepts, "agents") if isinstance(each, dict) and "id" in each]


def in_sight(percepts: Mapping[str, JsonValue]) -> list[str]:
    """Return the names of the other agents in sight, the nearest first."""
    return [str(each.get("name")) for each in sighted(percepts) if not each.get("creature")]


def creatures(percepts: Mapping[str, JsonValue]) -> list[tuple[str, float]]:
    """The sort of each creature in sight, and how far away it is."""
    return [(sort(each), number(each.get("distance"))) for each in sighted(percepts) if each.get("creature")]


def threats(percepts: Mapping[str, JsonValue]) -> list[tuple[str, float]]:
    """The creatures that strike within `NEAR_DANGER`, the nearest first: of which sort, and how far away."""
    near = [(sort, away) for sort, away in creatures(percepts) if sort in HOSTILE and away <= NEAR_DANGER]
    return sorted(near, key=lambda each: each[1])


def sort(sighting: Mapping[str, Any]) -> str:
    """Of which sort a creature is."""
    return str(sighting.get("name", "")).casefold()


def said_by_others(snapshot: Snapshot, most: int | None = None) -> list[dict[str, Any]]:
    """What others said within hearing, the newest last; at most the last so many."""
    others = (each for each in reversed(listed(snapshot["conversations"])) if each.get("speaker") != snapshot.name)
    return [*islice(others, most)][::-1]


def names(said: Mapping[str, Any], snapshot: Snapshot) -> bool:
    """Whether words name the agent."""
    text, own = str(said.get("text", "")).casefold(), parts(snapshot.name)
    return all(each in text for each in own) and holds(parts(text), own)


def number(value: object, otherwise: float = 0.0) -> float:
    """A number that may be missing."""
    return float(value) if isinstance(value, (int, float)) else otherwise
