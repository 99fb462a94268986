"""A tiered mind: what is in short-term and in long-term memory, as a fold of the agent's own events."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from uuid import UUID

from immutables import Map

from nemuri_contracts.tiered import Because, Cues, Layer, MemoryType, Place, Sharing
from nemuri_domain.event_sourcing import memory_totals
from nemuri_domain.event_sourcing.row_model import RowModel
from nemuri_domain.tiered.policy import TiersPolicy

HOUR = 3_600.0
"""Seconds."""


class TierMemory(RowModel):
    """What an agent remembers: an experience in short-term memory, or what was made of some in long-term memory."""

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
    """When it began, in seconds of the agent's clock."""
    accessed_at: float | None = None
    access_count: int = 0
    """How often it was retrieved: in tiered memory, that counts as access (document 004 §4.3)."""
    sources: tuple[UUID, ...] = ()
    """The experiences that it came from, however many steps ago; none for an experience itself."""
    going: bool = False
    """Whether it is decided that it becomes part of another memory, whose words are still to come."""
    scope: Literal["private"] | Sharing = "private"
    visible_to: tuple[str, ...] = ()
    vector: str
    worded: int
    """The log's sequence of its words."""
    changed: int
    """The log's sequence of what last changed this row."""

    @property
    def shared(self) -> bool:
        """Whether others may see it; as long as they may, it stays as it is."""
        return self.scope != "private"

    @property
    def origins(self) -> frozenset[UUID]:
        """The experiences that it tells of."""
        return frozenset(self.sources or (self.memory_id,))


class TiersAgent(RowModel):
    """An agent with tiered memory, and how much it remembers.

    It counts only what its memories' rows say, so that an erased memory is in no count.
    """

    agent_id: str
    began: float
    """When the agent was defined, in seconds of the log's clock; 0 by a simulation's."""
    consolidated_at: float | None = None
    """When a consolidation last began."""
    consolidated_for: Because | None = None
    policy: Mapping[str, Any] = {}
    short: int = 0
    """Short-term memories, but for those that are going."""
    long: int = 0

    @property
    def rules(self) -> TiersPolicy:
        """The parameters in force."""
        return TiersPolicy.of(self.policy)

    def since(self, now: float) -> float:
        """When its life began, in seconds of the clock that shows `now`.

        One that is behind its definition is a simulation's, which counts from 0.
        """
        return self.began if now >= self.began else 0.0

    def hours(self, now: float) -> float:
        """How long it has lived."""
        return max(0.0, now - self.since(now)) / HOUR

    def counting(self, before: TierMemory | None, after: TierMemory | None) -> "TiersAgent":
        """The agent with its totals in step with one memory's change; None where there is none."""
        places = [_place(each) for each in (before, after)]
        if places[0] == places[1]:
            return self
        counts = {"short": self.short, "long": self.long}
        for place, step in zip(places, (-1, 1), strict=True):
            if place is not None:
                counts[place] += step
        return self.replace(**counts)


def _place(memory: TierMemory | None) -> str | None:
    if memory is None or (memory.layer == "short" and memory.going):
        return None
    return memory.layer


@dataclass(frozen=True)
class Tiers:
    """An agent with its memories, or with as many of them as the events at hand concern."""

    agent: TiersAgent | None = None
    memories: Map[UUID, TierMemory] = field(default_factory=Map)

    @classmethod
    def of(cls, agent_id: str, *, began: float = 0.0, policy: Mapping[str, Any] | None = None) -> "Tiers":
        """A mind that remembers nothing yet, for a simulation that keeps it in process."""
        return cls(TiersAgent(agent_id=agent_id, began=began, policy=policy or {}))

    @property
    def short(self) -> list[TierMemory]:
        """Short-term memory: what is not going, oldest first."""
        found = (each for each in self.memories.values() if each.layer == "short" and not each.going)
        return sorted(found, key=in_order)

    @property
    def long(self) -> list[TierMemory]:
        """Long-term memory, oldest first."""
        return sorted((each for each in self.memories.values() if each.layer == "long"), key=in_order)

    def with_agent(self, **changes: object) -> "Tiers":
        """The mind with some fields of the agent changed; unchanged when there is no agent."""
        return self if self.agent is None else replace(self, agent=self.agent.replace(**changes))

    def known(self, memory_ids: Iterable[UUID]) -> tuple[TierMemory, ...]:
        """Those of the memories that there are, each once, in this order."""
        return memory_totals.known(self.memories, memory_ids)

    def holding(self, memories: Iterable[TierMemory]) -> "Tiers":
        """The mind with these memories new or changed, its totals in step."""
        changed = tuple(memories)
        if self.agent is None or not changed:
            return self
        agent, held = memory_totals.holding(self.agent, self.memories, changed)
        return replace(self, agent=agent, memories=held)

    def without(self, memory_ids: Iterable[UUID]) -> "Tiers":
        """The mind without these memories, its totals in step."""
        gone = self.known(memory_ids)
        if not gone:
            return self
        agent, memories = memory_totals.without(self.agent, self.memories, gone)
        return replace(self, agent=agent, memories=memories)


def in_order(memory: TierMemory) -> tuple[float, bytes]:
    """Oldest first; what began together by id."""
    return memory.at, memory.memory_id.bytes
