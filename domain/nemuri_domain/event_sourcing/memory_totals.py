"""What minds of every kind do with their memories: find them, hold them and lose them, their totals in step."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar
from uuid import UUID

from immutables import Map


class Remembered(Protocol):
    """A memory."""

    @property
    def memory_id(self) -> UUID:
        """Whose it is."""


class Counting(Protocol):
    """An agent that keeps totals over its memories."""

    def counting(self, before: Any, after: Any) -> Any:
        """The agent once a memory has become another; None for one that is not there."""


A = TypeVar("A", bound=Counting)
M = TypeVar("M", bound=Remembered)


def known(memories: Mapping[UUID, M], memory_ids: Iterable[UUID]) -> tuple[M, ...]:
    """Those of the memories that there are, each once, in this order."""
    found = (memories.get(each) for each in dict.fromkeys(memory_ids))
    return tuple(each for each in found if each is not None)


def holding(agent: A, memories: Map[UUID, M], changed: Iterable[M]) -> tuple[A, Map[UUID, M]]:
    """The agent and its memories once these are new or changed."""
    after = memories.mutate()
    for memory in changed:
        agent = agent.counting(after.get(memory.memory_id), memory)
        after[memory.memory_id] = memory
    return agent, after.finish()


def without(agent: A | None, memories: Map[UUID, M], gone: Iterable[M]) -> tuple[A | None, Map[UUID, M]]:
    """The agent and its memories once these, which are there, are gone."""
    left = memories.mutate()
    for memory in gone:
        agent = agent and agent.counting(memory, None)
        del left[memory.memory_id]
    return agent, left.finish()
