"""The aggregate of tiered memory: the short-term and long-term memories of one agent, folded from its events."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from uuid import UUID

from immutables import Map

from nemuri_contracts.tiered import Because, Cues, Layer, MemoryType, Place, Sharing
from nemuri_domain.event_sourcing import memory_collection
from nemuri_domain.event_sourcing.state import State
from nemuri_domain.tiered.policy import TiersPolicy

SECONDS_PER_HOUR = 3_600.0
"""Seconds of an hour."""


class TierMemory(State):
    """A memory of an agent: an experience in short-term memory, or a consolidated memory in long-term memory."""

    memory_id: UUID
    agent_id: str
    layer: Layer
    type: MemoryType
    content: str
    participants: tuple[str, ...] = ()
    location: Place | None = None
    tags: tuple[str, ...] = ()
    importance: float
    cues: Cues = Cues()
    at: float
    """Time of the experience, or of the formation of the memory, in seconds of the agent's clock."""
    accessed_at: float | None = None
    access_count: int = 0
    """Number of retrievals. In tiered memory a retrieval counts as an access (document 004 §4.3)."""
    sources: tuple[UUID, ...] = ()
    """Ids of all experiences that it was made from, directly or through other memories; empty for an experience."""
    merging: bool = False
    """True if a consolidation has chosen it to become part of another memory, which is not written yet."""
    scope: Literal["private"] | Sharing = "private"
    visible_to: tuple[str, ...] = ()
    vector: str
    worded: int
    """Log sequence of the event that set its text."""
    changed: int
    """Log sequence of the last event that changed this row."""

    @property
    def shared(self) -> bool:
        """True if other agents may see it. A shared memory is neither merged nor forgotten."""
        return self.scope != "private"

    @property
    def origins(self) -> frozenset[UUID]:
        """Return the ids of the experiences that the memory was made from; its own id if it is an experience."""
        return frozenset(self.sources or (self.memory_id,))


class TiersAgent(State):
    """An agent with tiered memory, with the numbers of its memories.

    The numbers count the existing rows, so an erased memory is not counted.
    """

    agent_id: str
    began: float
    """Time at which the agent was defined, in seconds of the log's clock; 0 for an agent on a simulation's clock."""
    consolidated_at: float | None = None
    """Start of the last consolidation, in seconds of the agent's clock."""
    consolidated_for: Because | None = None
    policy: Mapping[str, Any] = {}
    short: int = 0
    """Number of short-term memories, without those that are being consolidated."""
    long: int = 0
    rewinds: int = 0
    """Number of times that the agent went back to an earlier moment. Memories that it makes afterwards are others than
    those of the moments that it left, even if they are alike.
    """

    @property
    def rules(self) -> TiersPolicy:
        """The parameters in force."""
        return TiersPolicy.of(self.policy)

    def since(self, now: float) -> float:
        """Return the start of the agent's life in seconds of the clock that shows `now`.

        A clock that shows a time before the agent's definition belongs to a simulation, which counts from 0.
        """
        return self.began if now >= self.began else 0.0

    def hours(self, now: float) -> float:
        """Return the hours since the start of the agent's life, at least 0."""
        return max(0.0, now - self.since(now)) / SECONDS_PER_HOUR

    def with_updated_totals(self, before: TierMemory | None, after: TierMemory | None) -> "TiersAgent":
        """Return the agent with its numbers updated for one memory. `before` is None for a new memory, `after` for a
        removed one.
        """
        places = [_place(memory) for memory in (before, after)]
        if places[0] == places[1]:
            return self
        counts = {"short": self.short, "long": self.long}
        for place, step in zip(places, (-1, 1), strict=True):
            if place is not None:
                counts[place] += step
        return self.replace(**counts)


def _place(memory: TierMemory | None) -> str | None:
    if memory is None or (memory.layer == "short" and memory.merging):
        return None
    return memory.layer


@dataclass(frozen=True)
class TieredMind:
    """An agent with its memories: all of them, or only those that the events to fold need."""

    agent: TiersAgent | None = None
    memories: Map[UUID, TierMemory] = field(default_factory=Map)

    @classmethod
    def of(cls, agent_id: str, *, began: float = 0.0, policy: Mapping[str, Any] | None = None) -> "TieredMind":
        """Return an agent without memories, for a simulation that keeps its tiered memory in process."""
        return cls(TiersAgent(agent_id=agent_id, began=began, policy=policy or {}))

    @property
    def short(self) -> list[TierMemory]:
        """The short-term memories that are not being consolidated, oldest first."""
        found = (memory for memory in self.memories.values() if memory.layer == "short" and not memory.merging)
        return sorted(found, key=oldest_first)

    @property
    def long(self) -> list[TierMemory]:
        """The long-term memories, oldest first."""
        return sorted((memory for memory in self.memories.values() if memory.layer == "long"), key=oldest_first)

    def with_agent(self, **changes: object) -> "TieredMind":
        """Return a copy with some fields of the agent changed; itself if there is no agent."""
        return self if self.agent is None else replace(self, agent=self.agent.replace(**changes))

    def find(self, memory_ids: Iterable[UUID]) -> tuple[TierMemory, ...]:
        """Return the existing memories with these ids, without duplicates, in the order of the ids. Unknown ids are
        left out.
        """
        return memory_collection.find(self.memories, memory_ids)

    def with_memories(self, memories: Iterable[TierMemory]) -> "TieredMind":
        """Return a copy with these memories added or replaced, and the agent's numbers updated."""
        changed = tuple(memories)
        if self.agent is None or not changed:
            return self
        agent, held = memory_collection.put(self.agent, self.memories, changed)
        return replace(self, agent=agent, memories=held)

    def without_memories(self, memory_ids: Iterable[UUID]) -> "TieredMind":
        """Return a copy without these memories, with the agent's numbers updated."""
        gone = self.find(memory_ids)
        if not gone:
            return self
        agent, memories = memory_collection.remove(self.agent, self.memories, gone)
        return replace(self, agent=agent, memories=memories)


def oldest_first(memory: TierMemory) -> tuple[float, bytes]:
    """Return the key that sorts memories by time, oldest first; ties are broken by id."""
    return memory.at, memory.memory_id.bytes
