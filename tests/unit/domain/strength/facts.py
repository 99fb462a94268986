"""Expectations on a mind at the end of a story: `then(candidates(A).equals(1))`."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import pytest

from nemuri_domain.strength.aggregate import Agent, Mind


@dataclass(frozen=True, slots=True)
class Fact:
    """A value of a mind and its expected value."""

    name: str
    read: Callable[[Mind], Any]
    expected: Any = None

    def equals(self, expected: object) -> "Fact":
        """Return the fact with its expected value. Numbers agree to a relative 1e-9."""
        return replace(self, expected=expected)

    def check(self, mind: Mind) -> None:
        """Fail unless the mind has the expected value."""
        found = self.read(mind)
        close = pytest.approx(self.expected, rel=1e-9) if isinstance(self.expected, float | dict) else self.expected
        assert found == close, f"{self.name} is {found}, not {self.expected}"


def agent_of(mind: Mind) -> Agent:
    """Return the agent of a mind, which must have one."""
    assert mind.agent is not None
    return mind.agent


def _of_memory(name: str, memory_id: UUID) -> Fact:
    return Fact(f"{name} of {memory_id.int}", lambda mind: getattr(mind.memories[memory_id], name))


def strength(memory_id: UUID, perspective: str | None = None) -> Fact:
    """Return the fact of a memory's present strength."""
    return Fact(
        f"strength of {memory_id.int} in {perspective}",
        lambda mind: agent_of(mind).strength(mind.memories[memory_id], perspective),
    )


def candidates(memory_id: UUID) -> Fact:
    """Return the fact of a memory's number of retrievals into a context."""
    return _of_memory("candidate_count", memory_id)


def accesses(memory_id: UUID) -> Fact:
    """Return the fact of a memory's number of uses."""
    return _of_memory("access_count", memory_id)


def archived_at(memory_id: UUID) -> Fact:
    """Return the fact of a memory's time of archiving."""
    return _of_memory("archived_at", memory_id)


def yielding(memory_id: UUID) -> Fact:
    """Return the fact of the memories that a memory yields to."""
    return _of_memory("yields_to", memory_id)


def impact(memory_id: UUID) -> Fact:
    """Return the fact of a memory's impact points."""
    return _of_memory("impact_score", memory_id)


def level(memory_id: UUID) -> Fact:
    """Return the fact of a memory's consolidation level."""
    return _of_memory("level", memory_id)


def status(memory_id: UUID) -> Fact:
    """Return the fact of a memory's status, active or archived."""
    return _of_memory("status", memory_id)


def nights() -> Fact:
    """Return the fact of the number of sessions slept over."""
    return Fact("sessions slept", lambda mind: agent_of(mind).slept)


def totals(mind: Mind) -> tuple[tuple[int, ...], int]:
    """Return the active memories by level and the number of archived ones, counted again."""
    each = list(mind.memories.values())
    active = tuple(sum(one.status == "active" and one.level == level for one in each) for level in range(6))
    return active, sum(one.status == "archived" for one in each)
