"""Going back: the events that give an agent of a simulation the memories that it had at an earlier moment."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.event import derive
from nemuri_contracts.tiered import (
    MAX_IDS_PER_EVENT,
    Experience,
    ExperienceRecorded,
    MemoriesAccessed,
    MemoriesRewound,
    MemoryAccess,
    MemoryFormed,
    MemoryShared,
)
from nemuri_domain.tiered.aggregate import TieredMind, TierMemory
from nemuri_domain.tiered.fold import evolve_at_its_time, moment_of

RECORDED_AGAIN = "recorded again"
"""Name in place of a model's, of what formed a long-term memory that came back."""


@dataclass(slots=True)
class Rewinding:
    """An agent's memory now, and as it was at a moment of its simulation that was stored at `stored_at`.

    Give it all events of the agent in order.
    """

    stored_at: datetime
    """Time by the log's clock at which the moment was stored."""
    second: float
    """The moment on the simulation's clock, in seconds."""
    then: TieredMind
    now: TieredMind
    left: bool = False
    """True after an event by which the agent went back after `stored_at`. What follows belongs to other moments."""

    @classmethod
    def of(cls, agent_id: str, stored_at: datetime, second: float) -> "Rewinding":
        """Return the rewinding of an agent without memories."""
        return cls(stored_at, second, TieredMind.of(agent_id), TieredMind.of(agent_id))

    def take(self, event: AnyAgentEvent) -> None:
        """Fold an event. What was recorded after `stored_at` belongs to the moment if it happened before it."""
        self.now = evolve_at_its_time(self.now, event)
        later = event.at > self.stored_at
        self.left |= later and isinstance(event, MemoriesRewound)
        if not later or (not self.left and moment_of(event) <= self.second):
            self.then = evolve_at_its_time(self.then, event)

    def events(self) -> Iterator[AnyAgentEvent]:
        """Yield the events that lead from the memory now to the memory then; none if both are alike.

        Memories that are different now are removed, and recorded again with new ids. Accesses are not taken back.
        """
        held, wanted = (set(map(_told, mind.memories.values())) for mind in (self.now, self.then))
        gone = [memory for memory in self.now.memories.values() if _told(memory) not in wanted]
        lost = [memory for memory in self.then.memories.values() if _told(memory) not in held]
        if self.now.agent is None or not (gone or lost):
            return
        agent_id, rewinds = self.now.agent.agent_id, self.now.agent.rewinds
        for start in range(0, max(len(gone), 1), MAX_IDS_PER_EVENT):
            yield MemoriesRewound(
                event_id=derive(f"{agent_id}/{self.second:.2f}/{rewinds}/{start}", MemoriesRewound.kind_of()),
                agent_id=agent_id,
                memory_ids=tuple(memory.memory_id for memory in gone[start : start + MAX_IDS_PER_EVENT]),
                second=self.second,
            )
        yield from _recorded_again(lost, rewinds)


def _told(memory: TierMemory) -> tuple[object, ...]:
    """Return what makes a memory the same as another one, which may have another id. Whether it is being consolidated
    does not count, because a host completes that.
    """
    return memory.layer, memory.type, memory.content, memory.at, memory.scope


def _recorded_again(memories: Sequence[TierMemory], rewinds: int) -> Iterator[AnyAgentEvent]:
    for memory in sorted(memories, key=lambda one: (one.at, one.memory_id.bytes)):
        event = _formed(memory, rewinds) if memory.layer == "long" else _experienced(memory, rewinds)
        yield event
        if memory.scope != "private":
            yield MemoryShared(
                event_id=derive(event.event_id, MemoryShared.kind_of()),
                agent_id=memory.agent_id,
                memory_id=event.event_id,
                scope=memory.scope,
                visible_to=memory.visible_to,
                second=memory.at,
            )
        if memory.access_count:
            yield MemoriesAccessed(
                event_id=derive(event.event_id, MemoriesAccessed.kind_of()),
                agent_id=memory.agent_id,
                accessed=(MemoryAccess(memory_id=event.event_id, times=memory.access_count),),
                second=memory.accessed_at,
            )


def _formed(memory: TierMemory, rewinds: int) -> MemoryFormed:
    return MemoryFormed.model_validate(
        {
            "event_id": derive(f"{memory.memory_id}/{rewinds}", MemoryFormed.kind_of()),
            "agent_id": memory.agent_id,
            "type": memory.type,
            "content": memory.content,
            "tags": memory.tags,
            "importance": memory.importance,
            "sources": (memory.sources or (memory.memory_id,))[:100],
            "formed_by": RECORDED_AGAIN,
            "vector": memory.vector,
            "second": memory.at,
        }
    )


def _experienced(memory: TierMemory, rewinds: int) -> ExperienceRecorded:
    experience = Experience.model_validate(
        {
            "type": memory.type,
            "content": memory.content,
            "participants": memory.participants,
            "location": memory.location,
            "second": memory.at,
        }
    )
    return ExperienceRecorded(
        event_id=derive(f"{memory.memory_id}/{rewinds}", ExperienceRecorded.kind_of()),
        agent_id=memory.agent_id,
        experience=experience,
        cues=memory.cues,
        importance=memory.importance,
        vector=memory.vector,
    )
