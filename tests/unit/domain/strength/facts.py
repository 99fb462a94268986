"""Expected values of a mind at the end of a story: `then(candidates(A).equals(1))`.

A mind is the state of one agent with strength memory, folded from its events.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import pytest

from nemuri_domain.strength.aggregate import Agent, Mind


@dataclass(frozen=True, slots=True)
class Fact:
    """A function that reads one value of a mind, with the value that is expected."""

    name: str
    read: Callable[[Mind], Any]
    expected: Any = None

    def equals(self, expected: object) -> "Fact":
        """Return the fact with this expected value. Numbers may differ by a relative 1e-9."""
        return replace(self, expected=expected)

    def check(self, mind: Mind) -> None:
        """Fail unless the mind has the expected value."""
        found = self.read(mind)
        close = pytest.approx(self.expected, rel=1e-9) if isinstance(self.expected, float | dict) else self.expected
        assert found == close, f"{self.name} is {found}, not {self.expected}"


def agent_of(mind: Mind) -> Agent:
    """Return the agent of a mind; fail if it is not defined."""
    assert mind.agent is not None
    return mind.agent


def _of_memory(name: str, memory_id: UUID) -> Fact:
    return Fact(f"{name} of {memory_id.int}", lambda mind: getattr(mind.memories[memory_id], name))


def strength(memory_id: UUID, perspective: str | None = None) -> Fact:
    """Return the fact about a memory's present strength, or its strength in a perspective."""
    return Fact(
        f"strength of {memory_id.int} in {perspective}",
        lambda mind: agent_of(mind).strength(mind.memories[memory_id], perspective),
    )


def candidates(memory_id: UUID) -> Fact:
    """Return the fact about the number of contexts into which a memory was retrieved."""
    return _of_memory("candidate_count", memory_id)


def accesses(memory_id: UUID) -> Fact:
    """Return the fact about a memory's number of uses."""
    return _of_memory("access_count", memory_id)


def archived_at(memory_id: UUID) -> Fact:
    """Return the fact about the time at which a memory was archived."""
    return _of_memory("archived_at", memory_id)


def yielding(memory_id: UUID) -> Fact:
    """Return the fact about the newer memories that a memory yields to, because they contradict or supersede it."""
    return _of_memory("yields_to", memory_id)


def impact(memory_id: UUID) -> Fact:
    """Return the fact about a memory's impact points."""
    return _of_memory("impact_score", memory_id)


def level(memory_id: UUID) -> Fact:
    """Return the fact about a memory's consolidation level."""
    return _of_memory("level", memory_id)


def status(memory_id: UUID) -> Fact:
    """Return the fact about a memory's status, which is "active" or "archived"."""
    return _of_memory("status", memory_id)


def nights() -> Fact:
    """Return the fact about the number of sessions that were part of a sleep."""
    return Fact("sessions slept", lambda mind: agent_of(mind).slept)


def totals(mind: Mind) -> tuple[tuple[int, ...], int]:
    """Count the memories, and return the numbers of active ones by level and the number of archived ones."""
    each = list(mind.memories.values())
    active = tuple(sum(one.status == "active" and one.level == level for one in each) for level in range(6))
    return active, sum(one.status == "archived" for one in each)
