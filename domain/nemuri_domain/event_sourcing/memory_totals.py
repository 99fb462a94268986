"""Operations shared by all kinds of memory: find, put and remove memories, and update the agent's totals."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar
from uuid import UUID

from immutables import Map


class Remembered(Protocol):
    """A memory with an id."""

    @property
    def memory_id(self) -> UUID:
        """Return the memory's id."""


class Counting(Protocol):
    """An agent that keeps totals of its memories."""

    def counting(self, before: Any, after: Any) -> Any:
        """Return the agent after a memory changed; None stands for a missing memory."""


A = TypeVar("A", bound=Counting)
M = TypeVar("M", bound=Remembered)


def known(memories: Mapping[UUID, M], memory_ids: Iterable[UUID]) -> tuple[M, ...]:
    """Return the existing memories among these ids, without duplicates, in this order."""
    found = (memories.get(each) for each in dict.fromkeys(memory_ids))
    return tuple(each for each in found if each is not None)


def holding(agent: A, memories: Map[UUID, M], changed: Iterable[M]) -> tuple[A, Map[UUID, M]]:
    """Return the agent and its memories after these were added or replaced."""
    after = memories.mutate()
    for memory in changed:
        agent = agent.counting(after.get(memory.memory_id), memory)
        after[memory.memory_id] = memory
    return agent, after.finish()


def without(agent: A | None, memories: Map[UUID, M], gone: Iterable[M]) -> tuple[A | None, Map[UUID, M]]:
    """Return the agent and its memories after these, which must exist, were removed."""
    left = memories.mutate()
    for memory in gone:
        agent = agent and agent.counting(memory, None)
        del left[memory.memory_id]
    return agent, left.finish()
