"""Effect of tombstones on the other events in the log."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args
from uuid import UUID

from nemuri_contracts.affective import MemoryCompressed, TurnOffered, TurnTakenBack
from nemuri_contracts.client_events import MemoryChangeRequested, MemoryOffered
from nemuri_contracts.codec import AnyAgentEvent, AnyClientEvent, AnyTaskEvent
from nemuri_contracts.colleagues import HandoverRequested
from nemuri_contracts.conversations import TurnsSaid
from nemuri_contracts.erasure import AgentErased, Erasure, MemoriesErased, TaskErased, Tombstone
from nemuri_contracts.event import Event
from nemuri_contracts.principles import PrincipleDecided, PrincipleDecisionGiven
from nemuri_contracts.steps import AssignmentStepped
from nemuri_contracts.strength import (
    LearningsExtracted,
    MemoriesJudged,
    MemoriesRetrieved,
    MemoryAmended,
    MemoryEncoded,
    MemoryRefused,
    RepetitionWithdrawn,
)
from nemuri_contracts.tiered import ExperienceOffered, MemoryFormed

TOMBSTONES: tuple[type[Event], ...] = get_args(Tombstone)
_EVENTS_WITH_TASK_TEXT: tuple[type[Event], ...] = (
    AssignmentStepped, LearningsExtracted, MemoriesRetrieved, MemoryEncoded, MemoryRefused, RepetitionWithdrawn,
)  # fmt: skip
"""Agent events that contain text of a task. Other agent events contain only ids and effects. They stay in the log,
because other memories keep those effects.
"""
OF_A_TASK = frozenset(
    kind.kind_of()
    for kind in (*get_args(AnyClientEvent), *get_args(AnyTaskEvent), *_EVENTS_WITH_TASK_TEXT)
    if kind not in TOMBSTONES
)
"""Kinds of events that are deleted with their task."""
OF_AN_AGENT = frozenset(
    kind.kind_of()
    for kind in (
        *get_args(AnyAgentEvent),
        MemoryOffered,
        MemoryChangeRequested,
        TurnsSaid,
        HandoverRequested,
        PrincipleDecisionGiven,
        TurnOffered,
        TurnTakenBack,
        ExperienceOffered,
    )
    if kind not in TOMBSTONES
)
"""Kinds of events that are deleted with their agent."""


@dataclass(frozen=True, slots=True)
class Erased:
    """The ids of events and the agent ids that tombstones erase.

    A task, a memory or a course has the id of the event that began it.
    """

    ids: frozenset[UUID] = frozenset()
    agents: frozenset[str] = frozenset()

    @classmethod
    def by(cls, tombstones: Iterable[Event]) -> "Erased":
        """Return everything that these tombstones erase. Other events are ignored."""
        found = cls()
        for tombstone in tombstones:
            match tombstone:
                case MemoriesErased():
                    found |= cls(frozenset(tombstone.memory_ids))
                case TaskErased():
                    found |= cls(frozenset({tombstone.task_id}))
                case AgentErased():
                    found |= cls(agents=frozenset({tombstone.agent_id}))
                case _:
                    continue
            if tombstone.erasure is not None:
                found |= cls.of_erasure(tombstone.erasure)
        return found

    @classmethod
    def of_erasure(cls, erasure: Erasure) -> "Erased":
        """Return everything that the complete set of an erasure lists."""
        ids = frozenset(
            (*erasure.tasks, *erasure.events, *(memory_id for some in erasure.memories.values() for memory_id in some))
        )
        return cls(ids, frozenset(erasure.agents))

    def __or__(self, other: "Erased") -> "Erased":
        """Return the union of both."""
        return Erased(self.ids | other.ids, self.agents | other.agents)

    def __le__(self, other: "Erased") -> bool:
        """Return True if this is a subset of the other."""
        return self.ids <= other.ids and self.agents <= other.agents

    def __bool__(self) -> bool:
        """Return True if anything is erased."""
        return bool(self.ids or self.agents)

    def names(self, name: UUID | str) -> bool:
        """Return True if `name`, the id of a task, memory or agent, is erased."""
        return name in (self.ids if isinstance(name, UUID) else self.agents)

    def absorbs(self, event: Event) -> bool:
        """Return True if folds must ignore an event that comes after the tombstones. Tombstones are never ignored."""
        if isinstance(event, TOMBSTONES):
            return False
        return event.agent_id in self.agents or any(name in self.ids for name in named_ids(event))

    def deletes(self, event: Event) -> bool:
        """Return True if an event contains erased data and must be deleted from the log, before or after the tombstone.

        Tombstones are never deleted.
        """
        if isinstance(event, TOMBSTONES):
            return False
        if any(name in self.ids for name in (event.event_id, *_parts(event))):
            return True
        with_task = event.thread in self.ids and event.kind in OF_A_TASK
        return with_task or (event.agent_id in self.agents and event.kind in OF_AN_AGENT)


def named_ids(event: Event) -> tuple[UUID | None, ...]:
    """Return the ids whose erasure makes the event ineffective: its own, its task's, and those from `_parts`."""
    return event.event_id, event.thread, *_parts(event)


def _parts(event: Event) -> tuple[UUID, ...]:
    """Return the ids of the memories or of the course whose content the event contains."""
    if isinstance(event, MemoryCompressed | MemoryAmended | MemoryChangeRequested):
        return (event.memory_id,)
    if isinstance(event, MemoryFormed):
        return event.sources
    if isinstance(event, MemoriesJudged):
        return tuple(key for judgement in event.judgements for key in (judgement.memory_id, judgement.older))
    if isinstance(event, PrincipleDecided | PrincipleDecisionGiven):
        return () if event.principle_id is None else (event.principle_id,)
    course_id = vars(event).get("course_id")
    return () if course_id is None else (course_id,)
