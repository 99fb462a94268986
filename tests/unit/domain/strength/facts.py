"""What is said of a mind at the end of a story: `then(candidates(A).equals(1))`."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import pytest

from nemuri_domain.strength.aggregate import Agent, Mind


@dataclass(frozen=True, slots=True)
class Fact:
    """Something of a mind, and what it is expected to be."""

    name: str
    read: Callable[[Mind], Any]
    expected: Any = None

    def equals(self, expected: object) -> "Fact":
        """The fact with what it is expected to be; numbers agree to a relative 1e-9."""
        return replace(self, expected=expected)

    def check(self, mind: Mind) -> None:
        """Fails unless the mind is as expected."""
        found = self.read(mind)
        close = pytest.approx(self.expected, rel=1e-9) if isinstance(self.expected, float | dict) else self.expected
        assert found == close, f"{self.name} is {found}, not {self.expected}"


def agent_of(mind: Mind) -> Agent:
    """The agent of a mind, which has one."""
    assert mind.agent is not None
    return mind.agent


def _of_memory(name: str, memory_id: UUID) -> Fact:
    return Fact(f"{name} of {memory_id.int}", lambda mind: getattr(mind.memories[memory_id], name))


def strength(memory_id: UUID, perspective: str | None = None) -> Fact:
    """How strong a memory is now."""
    return Fact(
        f"strength of {memory_id.int} in {perspective}",
        lambda mind: agent_of(mind).strength(mind.memories[memory_id], perspective),
    )


def candidates(memory_id: UUID) -> Fact:
    """How often a memory was put into a context."""
    return _of_memory("candidate_count", memory_id)


def accesses(memory_id: UUID) -> Fact:
    """How often a memory was really used."""
    return _of_memory("access_count", memory_id)


def archived_at(memory_id: UUID) -> Fact:
    """Since when a memory is archived."""
    return _of_memory("archived_at", memory_id)


def yielding(memory_id: UUID) -> Fact:
    """What a memory yields to."""
    return _of_memory("yields_to", memory_id)


def impact(memory_id: UUID) -> Fact:
    """The impact points of a memory."""
    return _of_memory("impact_score", memory_id)


def level(memory_id: UUID) -> Fact:
    """The level of consolidation of a memory."""
    return _of_memory("level", memory_id)


def status(memory_id: UUID) -> Fact:
    """Whether a memory is active or archived."""
    return _of_memory("status", memory_id)


def nights() -> Fact:
    """How many sessions the agent has slept over."""
    return Fact("sessions slept", lambda mind: agent_of(mind).slept)


def totals(mind: Mind) -> tuple[tuple[int, ...], int]:
    """The active memories by level and the number of archived ones, counted anew."""
    each = list(mind.memories.values())
    active = tuple(sum(one.status == "active" and one.level == level for one in each) for level in range(6))
    return active, sum(one.status == "archived" for one in each)
