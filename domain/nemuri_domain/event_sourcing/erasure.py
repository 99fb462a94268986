"""What erased means for everything else that is, was or will be on the log."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args
from uuid import UUID

from nemuri_contracts.affective import MemoryCompressed, TurnOffered
from nemuri_contracts.client_events import MemoryOffered
from nemuri_contracts.codec import AnyAgentEvent, AnyClientEvent, AnyTaskEvent
from nemuri_contracts.erasure import AgentErased, Erasure, MemoriesErased, TaskErased, Tombstone
from nemuri_contracts.event import Event
from nemuri_contracts.strength import (
    LearningsExtracted,
    MemoriesRetrieved,
    MemoryEncoded,
    MemoryRefused,
    RepetitionWithdrawn,
)
from nemuri_contracts.tiered import ExperienceOffered, MemoryFormed

TOMBSTONES: tuple[type[Event], ...] = get_args(Tombstone)
_TELLING: tuple[type[Event], ...] = (
    LearningsExtracted, MemoriesRetrieved, MemoryEncoded, MemoryRefused, RepetitionWithdrawn,
)  # fmt: skip
"""What agents record of a task in words; of the rest, ids and effects, their other memories keep the effects."""
OF_A_TASK = frozenset(
    each.kind_of() for each in (*get_args(AnyClientEvent), *get_args(AnyTaskEvent), *_TELLING) if each not in TOMBSTONES
)
"""The kinds of events that go with their task."""
OF_AN_AGENT = frozenset(
    each.kind_of()
    for each in (*get_args(AnyAgentEvent), MemoryOffered, TurnOffered, ExperienceOffered)
    if each not in TOMBSTONES
)
"""The kinds of events that go with their agent."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What is erased: ids of events, of the tasks, memories and courses that begin with them, and names of agents."""

    ids: frozenset[UUID] = frozenset()
    agents: frozenset[str] = frozenset()

    @classmethod
    def by(cls, tombstones: Iterable[Event]) -> "Erased":
        """What these tombstones say is erased, each of them and all that goes with it."""
        found = cls()
        for each in tombstones:
            match each:
                case MemoriesErased():
                    found |= cls(frozenset(each.memory_ids))
                case TaskErased():
                    found |= cls(frozenset({each.task_id}))
                case AgentErased():
                    found |= cls(agents=frozenset({each.agent_id}))
                case _:
                    continue
            if each.whole is not None:
                found |= cls.in_all(each.whole)
        return found

    @classmethod
    def in_all(cls, whole: Erasure) -> "Erased":
        """What a whole erasure names."""
        ids = frozenset((*whole.tasks, *whole.events, *(each for some in whole.memories.values() for each in some)))
        return cls(ids, frozenset(whole.agents))

    def __or__(self, other: "Erased") -> "Erased":
        """What either says."""
        return Erased(self.ids | other.ids, self.agents | other.agents)

    def __le__(self, other: "Erased") -> bool:
        """Whether the other says all that this one says."""
        return self.ids <= other.ids and self.agents <= other.agents

    def __bool__(self) -> bool:
        """Whether anything is erased."""
        return bool(self.ids or self.agents)

    def names(self, name: UUID | str) -> bool:
        """Return whether a task or a memory of this id, or an agent of this name, is erased."""
        return name in (self.ids if isinstance(name, UUID) else self.agents)

    def absorbs(self, event: Event) -> bool:
        """Whether an event that comes after the tombstones comes to nothing."""
        if isinstance(event, TOMBSTONES):
            return False
        return event.agent_id in self.agents or any(each in self.ids for each in _named(event))

    def deletes(self, event: Event) -> bool:
        """Whether an event holds something of what is erased and goes from the log, whenever it came."""
        if isinstance(event, TOMBSTONES):
            return False
        if any(each in self.ids for each in (event.event_id, *_parts(event))):
            return True
        with_task = event.thread in self.ids and event.kind in OF_A_TASK
        return with_task or (event.agent_id in self.agents and event.kind in OF_AN_AGENT)


def _named(event: Event) -> tuple[UUID | None, ...]:
    """What an event belongs to: itself, its task, and what else it is a part of."""
    return event.event_id, event.thread, *_parts(event)


def _parts(event: Event) -> tuple[UUID, ...]:
    """What an event tells more of than its id: its course, or the memories whose words it has."""
    if isinstance(event, MemoryCompressed):
        return (event.memory_id,)
    if isinstance(event, MemoryFormed):
        return event.sources
    course_id = vars(event).get("course_id")
    return () if course_id is None else (course_id,)
