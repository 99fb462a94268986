"""Operations shared by all kinds of memory: find, put and remove memories, and keep the agent's totals up to date."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar
from uuid import UUID

from immutables import Map


class Identified(Protocol):
    """A memory with an id."""

    @property
    def memory_id(self) -> UUID:
        """Return the memory's id."""


class HasTotals(Protocol):
    """An agent that keeps totals of its memories."""

    def with_updated_totals(self, before: Any, after: Any) -> Any:
        """Return the agent with its totals updated for one memory. `before` is None for a new memory, `after` for a
        removed one.
        """


A = TypeVar("A", bound=HasTotals)
M = TypeVar("M", bound=Identified)


def find(memories: Mapping[UUID, M], memory_ids: Iterable[UUID]) -> tuple[M, ...]:
    """Return the existing memories with these ids, in the order of `memory_ids`, without duplicates. Unknown ids are
    left out.
    """
    found = (memories.get(memory_id) for memory_id in dict.fromkeys(memory_ids))
    return tuple(member for member in found if member is not None)


def put(agent: A, memories: Map[UUID, M], changed: Iterable[M]) -> tuple[A, Map[UUID, M]]:
    """Return the agent with updated totals, and `memories` with those in `changed` added or replaced."""
    after = memories.mutate()
    for memory in changed:
        agent = agent.with_updated_totals(after.get(memory.memory_id), memory)
        after[memory.memory_id] = memory
    return agent, after.finish()


def remove(agent: A | None, memories: Map[UUID, M], gone: Iterable[M]) -> tuple[A | None, Map[UUID, M]]:
    """Return the agent with updated totals, and `memories` without those in `gone`. Raises KeyError if one of them does
    not exist.
    """
    left = memories.mutate()
    for memory in gone:
        agent = agent and agent.with_updated_totals(memory, None)
        del left[memory.memory_id]
    return agent, left.finish()
