"""Differences between two states of one agent: at two times, or in two counterfactual courses of events."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isclose
from typing import Any, Literal
from uuid import UUID

from nemuri_domain.event_sourcing.state import State
from nemuri_domain.strength.aggregate import Agent, Mind, Status

ROUNDING = 1e-9
"""Maximum relative difference between two strengths that count as equal, because of float rounding."""
ChangedValues = Mapping[str, tuple[Any, Any]]
"""The value in the first and the value in the second state, by name."""


class MemoryState(State):
    """State of a memory at one time."""

    status: Status
    level: int
    strength: float
    strength_by_perspective: Mapping[str, float]
    candidate_count: int
    access_count: int
    impact_score: float
    pinned: bool
    unconfirmed: bool
    yields_to: tuple[UUID, ...]

    @classmethod
    def of(cls, mind: Mind, memory_id: UUID) -> "MemoryState | None":
        """Return the state of a memory in a mind; None if it is unknown there."""
        agent, memory = mind.agent, mind.memories.get(memory_id)
        if agent is None or memory is None:
            return None
        return cls(
            status=memory.status,
            level=memory.level,
            strength=agent.strength(memory),
            strength_by_perspective={name: agent.strength(memory, name) for name in memory.perspectives},
            candidate_count=memory.candidate_count,
            access_count=memory.access_count,
            impact_score=memory.impact_score,
            pinned=memory.pinned,
            unconfirmed=memory.unconfirmed,
            yields_to=memory.yields_to,
        )

    def alike(self, other: "MemoryState") -> bool:
        """Return True if both states are equal, apart from float rounding."""
        names = {*self.strength_by_perspective, *other.strength_by_perspective}
        strengths = [(self.strength, other.strength)] + [
            (self.strength_by_perspective.get(name, 0.0), other.strength_by_perspective.get(name, 0.0))
            for name in names
        ]
        blank = {"strength": 0.0, "strength_by_perspective": {}}
        return self.replace(**blank) == other.replace(**blank) and all(
            isclose(here, there, rel_tol=ROUNDING) for here, there in strengths
        )


class MemoryChange(State):
    """A memory whose states in two minds differ."""

    memory_id: UUID
    content: str
    before: MemoryState | None
    """State in the first mind; None if it is unknown there."""
    after: MemoryState | None
    """State in the second mind; None if it is unknown there."""

    @property
    def gain(self) -> float:
        """Return the difference of strength, second minus first; 0 if one mind does not know the memory."""
        return self.after.strength - self.before.strength if self.before and self.after else 0.0

    def turned(self, status: Literal["active", "archived"]) -> bool:
        """Return True if both minds know the memory, and it has this status in the second mind only."""
        return bool(self.before and self.after and self.before.status != self.after.status == status)


@dataclass(frozen=True, slots=True)
class Differences:
    """All differences between two minds."""

    changes: tuple[MemoryChange, ...]
    """Changed memories, by size of the change of strength, largest first."""
    policy: ChangedValues
    """Changed policy parameters."""
    definition: ChangedValues
    """Changes of the definition, the embedding and the learned scorer."""

    @classmethod
    def between(cls, one: Mind, other: Mind) -> "Differences":
        """Return the differences from mind `one` to mind `other`."""
        changes = sorted(_changes(one, other), key=lambda change: (-abs(change.gain), str(change.memory_id)))
        return cls(tuple(changes), _altered(_rules(one), _rules(other)), _altered(_is(one), _is(other)))

    @property
    def began(self) -> tuple[MemoryChange, ...]:
        """Return the memories that only the second mind knows."""
        return tuple(change for change in self.changes if change.before is None)

    @property
    def gone(self) -> tuple[MemoryChange, ...]:
        """Return the memories that only the first mind knows."""
        return tuple(change for change in self.changes if change.after is None)

    @property
    def archived(self) -> tuple[MemoryChange, ...]:
        """Return the memories that are active in the first mind and archived in the second."""
        return tuple(change for change in self.changes if change.turned("archived"))

    @property
    def returned(self) -> tuple[MemoryChange, ...]:
        """Return the memories that are archived in the first mind and active in the second."""
        return tuple(change for change in self.changes if change.turned("active"))

    @property
    def levels(self) -> tuple[MemoryChange, ...]:
        """Return the memories whose levels differ."""
        return tuple(
            change
            for change in self.changes
            if change.before and change.after and change.before.level != change.after.level
        )

    @property
    def stronger(self) -> tuple[MemoryChange, ...]:
        """Return the memories that are stronger in the second mind."""
        return tuple(change for change in self.changes if change.gain > 0 and not _noise(change))

    @property
    def weaker(self) -> tuple[MemoryChange, ...]:
        """Return the memories that are weaker in the second mind."""
        return tuple(change for change in self.changes if change.gain < 0 and not _noise(change))


def _noise(change: MemoryChange) -> bool:
    before, after = change.before, change.after
    return bool(before and after and isclose(before.strength, after.strength, rel_tol=ROUNDING))


def _changes(one: Mind, other: Mind) -> Iterator[MemoryChange]:
    contents = {**one.contents, **other.contents}
    for memory_id in dict.fromkeys((*one.memories, *other.memories)):
        before, after = MemoryState.of(one, memory_id), MemoryState.of(other, memory_id)
        if before and after and before.alike(after):
            continue
        content = contents[memory_id].memory.content
        yield MemoryChange(memory_id=memory_id, content=content, before=before, after=after)


def _rules(mind: Mind) -> dict[str, Any]:
    return mind.agent.rules.model_dump(mode="json") if mind.agent else {}


def _is(mind: Mind) -> dict[str, Any]:
    agent: Agent | None = mind.agent
    if agent is None:
        return {}
    scorer = f"{mind.scorer.number}{'' if mind.scorer.serves else ', not serving'}" if mind.scorer else None
    return agent.definition.model_dump(mode="json") | {
        "embedding": f"{agent.embedding.model}.{agent.embedding.dimension}",
        "scorer": scorer,
    }


def _altered(one: Mapping[str, Any], other: Mapping[str, Any]) -> ChangedValues:
    names = dict.fromkeys((*one, *other))
    return {name: (one.get(name), other.get(name)) for name in names if one.get(name) != other.get(name)}
