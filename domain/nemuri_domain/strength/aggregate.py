"""The aggregate of strength memory: an agent and its memories, folded only from the agent's own events."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from immutables import Map
from pydantic import computed_field

from nemuri_contracts.agents import Definition, Embedding
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.principles import PrincipleRecord
from nemuri_contracts.scorers import HeldOut, Weights
from nemuri_contracts.strength import Experiences, Origin, Relation
from nemuri_domain.event_sourcing import memory_collection
from nemuri_domain.event_sourcing.state import State
from nemuri_domain.strength.decay import INITIAL_CLOCKS, Clocks, clock_of, stored_value, strength
from nemuri_domain.strength.policy import LEVELS, Policy

Status = Literal["active", "archived", "absorbed", "split"]
"""Status of a memory. Only active memories decay.

`absorbed`: a semantic memory, or the memory that it repeats, stands for it. `split`: it is a semantic memory that was
split, and the source that inherited its gains stands for it.
"""


class Agent(State):
    """State of an agent: definition, policy, decay clocks, sleep state and totals."""

    agent_id: str
    definition: Definition
    embedding: Embedding
    clocks: Clocks = INITIAL_CLOCKS
    policy: Mapping[str, Any] = {}
    """Policy parameters in force that differ from the defaults."""
    next_policy: Mapping[str, Any] | None = None
    """Policy parameters that apply from the next sleep."""
    awake: tuple[UUID, ...] = ()
    """Assignments whose sessions have ended and were not slept over yet."""
    slept: int = 0
    """Number of sessions slept over so far."""
    last_sleep: int = 0
    """Stream sequence of the last sleep; 0 before the first one."""
    reviewed: int = 0
    """Stream sequence up to which a sleep has certainly examined all changes of memories. If it is 0, the next sleep
    examines all memories.

    This is the sequence of the sleep before the last one, because the last sleep may have missed changes between its
    decision and its append.
    """
    carried_days: float = 0.0
    """Days that have passed but were not applied as decay yet. Later sleeps may apply them."""
    carried_until: float | None = None
    """Time up to which `carried_days` was computed, in seconds since 1970; None before the first sleep with a clock."""
    last_slept_at: datetime | None = None
    """Time of the last sleep that covered a session. All memories decayed at that time."""
    active: tuple[int, ...] = (0,) * LEVELS
    """Number of active memories by level."""
    archived: int = 0
    principles: tuple[PrincipleRecord, ...] = ()
    """Principles that were proposed or that a person adopted. The adopted ones are part of `definition` too."""
    defined_at: datetime

    @property
    def rules(self) -> Policy:
        """Return the policy in force."""
        return Policy.of(self.policy)

    @property
    def coming(self) -> Policy:
        """Return the policy in force after the next sleep."""
        return Policy.of(self.policy if self.next_policy is None else self.next_policy)

    def clock(self, memory: "RankedState") -> float:
        """Return the current value of the decay clock that applies to a memory."""
        return float(clock_of(memory.status, memory.level, self.clocks))

    def strength(self, memory: "RankedState", perspective: str | None = None) -> float:
        """Return the memory's current strength, overall or in a perspective. In an unknown perspective it is the
        overall strength.
        """
        stored = memory.perspectives.get(perspective, memory.stored_strength) if perspective else memory.stored_strength
        return float(strength(stored, self.clock(memory)))

    def with_updated_totals(self, before: "Memory | None", after: "Memory | None") -> "Agent":
        """Return the agent with its totals updated for one memory. `before` is None for a new memory, `after` for a
        removed one.
        """
        if before is not None and after is not None and (before.status, before.level) == (after.status, after.level):
            return self
        active, archived = list(self.active), self.archived
        for memory, step in ((before, -1), (after, 1)):
            if memory is None:
                continue
            if memory.status == "archived":
                archived += step
            elif memory.status == "active":
                active[memory.level] += step
        return self.replace(active=tuple(active), archived=archived)


class RankedState(State):
    """The part of a memory's state that ranking reads."""

    status: Status = "active"
    level: int = 0
    stored_strength: float
    """ln(strength) minus the decay clock, as of the last change. Unless the memory is active, its clock is 0."""
    perspectives: Mapping[str, float]
    """Stored strength in each perspective, by name, in the form of `stored_strength`."""
    candidate_count: int = 0
    access_count: int = 0
    impact_score: float = 0.0
    last_accessed_at: datetime | None = None
    relations: tuple[Relation, ...] = ()
    """Relations to older memories, one for each. A withdrawn one is independent."""
    yields_to: tuple[UUID, ...] = ()
    """Newer memories that contradict, supersede or refine it."""
    held_until: Mapping[UUID, datetime] = {}
    """Time until which it held, by each newer memory that supersedes it."""
    told_again_at: datetime | None = None
    """Time at which a repetition was told; None if there was none."""


class Memory(RankedState):
    """Strength and counters of a memory. The row is small because it changes often."""

    memory_id: UUID
    agent_id: str
    person: str = ""
    """Person to whom it belongs; "" for the agent's own memories."""
    effective_uses: int = 0
    """Number of uses that count for the consolidation level. A reactivation may lower it."""
    archived_at: datetime | None = None
    """Log time of archiving; None while it is active."""
    pinned: bool = False
    """True if a person pinned it, so that no sleep archives it."""
    rescoped: int = 0
    """Stream sequence of the event that gave it its present scope; 0 if that is the scope of its encoding."""
    unconfirmed: bool = False
    """True if it was inferred and nothing has confirmed it yet."""
    absorbed_by: UUID | None = None
    """The memory that stands for it: its semantic memory, the memory that it repeats, or the heir of a semantic memory
    that was split.
    """
    text_id: UUID | None = None
    """Id of its text (`repetitions`), by which a repetition is noticed; None if nothing repeats it."""
    revision: int = 0
    """Number of changes of its strength, level or status."""
    changed: int
    """Stream sequence of the last change of this row."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def fade(self) -> float:
        """Return the highest stored strength, overall or in any perspective.

        The strength is below a threshold overall and in every perspective if this value is below ln(threshold) minus
        the decay clock.
        """
        return max((self.stored_strength, *self.perspectives.values()))


class Content(State):
    """Content of a memory. It is written once; only its scope may change."""

    memory_id: UUID
    agent_id: str
    memory: MemoryContent
    links: tuple[UUID, ...]
    vector: str
    source: str
    origin: Origin = Origin()
    experiences: Experiences | None = None
    """The experiences behind a semantic memory; None for other memories."""
    created_at: datetime
    created: int
    """Stream sequence of the event that encoded the memory."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def held_from(self) -> datetime:
        """Return since when it held: as it says, or else since it was told."""
        return self.memory.valid_from or self.memory.said_at or self.created_at

    @computed_field  # type: ignore[prop-decorator]
    @property
    def held_to(self) -> datetime | None:
        """Return until when it held, None for no end. What happened, or does not say when it began, is a moment."""
        lasts = self.memory.valid_from is not None and self.memory.kind != "event"
        return self.memory.until or (None if lasts else self.held_from)


class Scorer(State):
    """Newest version of an agent's learned scorer."""

    agent_id: str
    number: int
    weights: Weights
    samples: int
    tasks: int
    until: int
    held_out: HeldOut
    serves: bool
    trained_at: datetime


PRINCIPLE_SOURCES = ("definition", "adopted")
"""Sources of principles."""


def is_principle(definition: Definition, content: Content) -> bool:
    """Return True if a memory is a principle of an agent with this definition.

    Only a definition and a person's adoption create principles. A client's memory, a task or a textbook never does,
    whatever the tags. A principle that a new definition does not list stays as an ordinary memory, which decays. It
    becomes a principle again if a later definition lists it.
    """
    return content.source in PRINCIPLE_SOURCES and (content.memory.content, content.memory.scope) in definition.held


Remembered = tuple[Content, Memory]
"""Content and state of a memory."""


@dataclass(frozen=True, slots=True)
class Mind:
    """An agent with its memories: all of them, or only those that the events to fold need."""

    agent: Agent | None = None
    memories: Map[UUID, Memory] = field(default_factory=Map)
    contents: Map[UUID, Content] = field(default_factory=Map)
    scorer: Scorer | None = None
    texts: Map[UUID, frozenset[UUID]] = field(default_factory=Map, compare=False)
    """Ids of the memories by the id of their text. Some may be erased, or have another text by now."""

    def with_agent(self, **changes: object) -> "Mind":
        """Return the mind with these changes to the agent. Without an agent, nothing changes."""
        if self.agent is None:
            return self
        return replace(self, agent=self.agent.replace(**changes))

    def find(self, memory_ids: Iterable[UUID]) -> tuple[Memory, ...]:
        """Return the existing memories with these ids, without duplicates. Unknown ids are left out."""
        return memory_collection.find(self.memories, memory_ids)

    def standing_for(self, memory_ids: Iterable[UUID]) -> tuple[Memory, ...]:
        """Return the memories that stand for these now, without duplicates: a memory itself, or the one that absorbed
        it. Unknown ids are left out.
        """
        return self.find(self._standing_for(memory_id) for memory_id in memory_ids)

    def _standing_for(self, memory_id: UUID) -> UUID:
        passed = {memory_id}
        while (memory := self.memories.get(memory_id)) and memory.absorbed_by is not None:
            if memory.absorbed_by in passed or memory.absorbed_by not in self.memories:
                break
            memory_id = memory.absorbed_by
            passed.add(memory_id)
        return memory_id

    def saying(self, text_id: UUID | None) -> Memory | None:
        """Return the memory with this text, active rather than archived; None if there is none."""
        same = self.find(self.texts.get(text_id, ())) if text_id is not None else ()
        standing = (memory for memory in same if memory.text_id == text_id and memory.status in {"active", "archived"})
        return min(standing, key=lambda memory: (memory.status != "active", memory.memory_id), default=None)

    def holding(self, memories: Mapping[UUID, Memory]) -> "Mind":
        """Return the mind with these stored memories, by id. The agent's totals include them already."""
        return replace(self, memories=self.memories.update(memories)).with_texts(memories.values())

    def with_texts(self, memories: Iterable[Memory]) -> "Mind":
        """Return the mind that finds these memories by the id of their text (`saying`)."""
        texts = self.texts.mutate()
        for memory in memories:
            if memory.text_id is not None:
                texts[memory.text_id] = texts.get(memory.text_id, frozenset()) | {memory.memory_id}
        return replace(self, texts=texts.finish())

    def with_memories(self, memories: Iterable[Memory]) -> "Mind":
        """Return the mind with these memories added or replaced, and the agent's totals updated."""
        changed = tuple(memories)
        if self.agent is None or not changed:
            return self
        agent, held = memory_collection.put(self.agent, self.memories, changed)
        return replace(self, agent=agent, memories=held)

    def without_memories(self, memory_ids: Iterable[UUID]) -> "Mind":
        """Return the mind without these memories and their contents, and the agent's totals updated."""
        gone, contents = self.find(memory_ids), self.contents
        agent, memories = memory_collection.remove(self.agent, self.memories, gone)
        for memory in gone:
            contents = contents.delete(memory.memory_id) if memory.memory_id in contents else contents
        return replace(self, agent=agent, memories=memories, contents=contents)


def with_strength(
    agent: Agent, memory: Memory, *, by: int, more: float = 0.0, perspectives: Mapping[str, float]
) -> Memory:
    """Return the memory with its overall strength raised by `more`, and its strength in each of `perspectives` by the
    given amount.

    `by` is the stream sequence of the event that causes the change. The revision rises by 1.
    """
    clock = agent.clock(memory)
    by_perspective = dict(memory.perspectives)
    for name, step in perspectives.items():
        by_perspective[name] = stored_value(agent.strength(memory, name) + step, clock)
    return memory.replace(
        stored_strength=stored_value(agent.strength(memory) + more, clock) if more else memory.stored_strength,
        perspectives=by_perspective,
        revision=memory.revision + 1,
        changed=by,
    )


def rebased(agent: Agent, memory: Memory, *, level: int, status: Status, by: int) -> Memory:
    """Return the memory at another level or status, with the same current strengths, overall and in all perspectives.

    `by` is the stream sequence of the event that causes the change. The revision rises by 1.
    """
    after = memory.replace(level=level, status=status)
    shift = agent.clock(memory) - agent.clock(after)
    return after.replace(
        stored_strength=memory.stored_strength + shift,
        perspectives={name: value + shift for name, value in memory.perspectives.items()},
        revision=memory.revision + 1,
        changed=by,
    )
