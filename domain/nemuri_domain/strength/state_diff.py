"""What differs between two minds of one agent: of two moments, or of two courses that its life might have taken."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isclose
from typing import Any, Literal
from uuid import UUID

from nemuri_domain.event_sourcing.row_model import RowModel
from nemuri_domain.strength.aggregate import Agent, Mind

ROUNDING = 1e-9
"""Relative differences of strength below this are the noise of floats."""
Altered = Mapping[str, tuple[Any, Any]]
"""By name, what it is in the one and in the other."""


class Standing(RowModel):
    """How a memory stands at some moment."""

    status: Literal["active", "archived"]
    level: int
    strength: float
    strength_by_perspective: Mapping[str, float]
    candidate_count: int
    access_count: int
    impact_score: float
    yields_to: tuple[UUID, ...]

    @classmethod
    def of(cls, mind: Mind, memory_id: UUID) -> "Standing | None":
        """How the memory stands in a mind; None where it does not know it."""
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
            yields_to=memory.yields_to,
        )

    def alike(self, other: "Standing") -> bool:
        """Whether they are the same but for the noise of floats."""
        names = {*self.strength_by_perspective, *other.strength_by_perspective}
        strengths = [(self.strength, other.strength)] + [
            (self.strength_by_perspective.get(name, 0.0), other.strength_by_perspective.get(name, 0.0))
            for name in names
        ]
        blank = {"strength": 0.0, "strength_by_perspective": {}}
        return self.replace(**blank) == other.replace(**blank) and all(
            isclose(here, there, rel_tol=ROUNDING) for here, there in strengths
        )


class Change(RowModel):
    """A memory that stands otherwise in the other mind."""

    memory_id: UUID
    content: str
    before: Standing | None
    """None where the one mind does not know it."""
    after: Standing | None
    """None where the other mind does not know it."""

    @property
    def gain(self) -> float:
        """How much stronger it is in the other mind; 0 where one of them does not know it."""
        return self.after.strength - self.before.strength if self.before and self.after else 0.0

    def turned(self, status: Literal["active", "archived"]) -> bool:
        """Whether it has this status in the other mind only, of those that both know."""
        return bool(self.before and self.after and self.before.status != self.after.status == status)


@dataclass(frozen=True, slots=True)
class Differences:
    """Everything that differs."""

    changes: tuple[Change, ...]
    """Of the memories, by the strength of the change, the greatest first."""
    policy: Altered
    """Of the parameters in force."""
    definition: Altered
    """Of what the agent is, its vectors and its learned scorer."""

    @classmethod
    def between(cls, one: Mind, other: Mind) -> "Differences":
        """From the one mind to the other."""
        changes = sorted(_changes(one, other), key=lambda each: (-abs(each.gain), str(each.memory_id)))
        return cls(tuple(changes), _altered(_rules(one), _rules(other)), _altered(_is(one), _is(other)))

    @property
    def began(self) -> tuple[Change, ...]:
        """Memories that only the other mind knows."""
        return tuple(each for each in self.changes if each.before is None)

    @property
    def gone(self) -> tuple[Change, ...]:
        """Memories that only the one mind knows."""
        return tuple(each for each in self.changes if each.after is None)

    @property
    def archived(self) -> tuple[Change, ...]:
        """Memories that are archived in the other mind only."""
        return tuple(each for each in self.changes if each.turned("archived"))

    @property
    def returned(self) -> tuple[Change, ...]:
        """Memories that are active in the other mind only."""
        return tuple(each for each in self.changes if each.turned("active"))

    @property
    def levels(self) -> tuple[Change, ...]:
        """Memories at another level."""
        return tuple(
            each for each in self.changes if each.before and each.after and each.before.level != each.after.level
        )

    @property
    def stronger(self) -> tuple[Change, ...]:
        """Memories that are stronger in the other mind, by how much."""
        return tuple(each for each in self.changes if each.gain > 0 and not _noise(each))

    @property
    def weaker(self) -> tuple[Change, ...]:
        """Memories that are weaker in the other mind, by how much."""
        return tuple(each for each in self.changes if each.gain < 0 and not _noise(each))


def _noise(change: Change) -> bool:
    before, after = change.before, change.after
    return bool(before and after and isclose(before.strength, after.strength, rel_tol=ROUNDING))


def _changes(one: Mind, other: Mind) -> Iterator[Change]:
    contents = {**one.contents, **other.contents}
    for memory_id in dict.fromkeys((*one.memories, *other.memories)):
        before, after = Standing.of(one, memory_id), Standing.of(other, memory_id)
        if before and after and before.alike(after):
            continue
        content = contents[memory_id].memory.content
        yield Change(memory_id=memory_id, content=content, before=before, after=after)


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


def _altered(one: Mapping[str, Any], other: Mapping[str, Any]) -> Altered:
    names = dict.fromkeys((*one, *other))
    return {name: (one.get(name), other.get(name)) for name in names if one.get(name) != other.get(name)}
