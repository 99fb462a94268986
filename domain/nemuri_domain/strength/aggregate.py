"""The mind of an agent: its memories and their strengths, as a fold of the agent's own events and nothing else."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from immutables import Map
from pydantic import computed_field

from nemuri_contracts.agents import Definition, Embedding
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.scorers import HeldOut, Weights
from nemuri_contracts.strength import Origin, Relation
from nemuri_domain.event_sourcing import memory_totals
from nemuri_domain.event_sourcing.row_model import RowModel
from nemuri_domain.strength.decay import STOPPED, Clocks, base, strength
from nemuri_domain.strength.policy import LEVELS, Policy

ARCHIVED_CLOCK = 0.0
"""Time stands still in the archive."""


class Agent(RowModel):
    """The agent itself: who it is, what time its clocks show, how much it knows."""

    agent_id: str
    definition: Definition
    embedding: Embedding
    clocks: Clocks = STOPPED
    policy: Mapping[str, Any] = {}
    """The parameters in force, where they differ from the defaults."""
    next_policy: Mapping[str, Any] | None = None
    """Parameters that come into force at the next sleep."""
    awake: tuple[UUID, ...] = ()
    """The assignments whose sessions have ended and are not slept over yet."""
    slept: int = 0
    """Sessions slept over."""
    last_sleep: int = 0
    """The log's sequence of the last sleep; 0 before the first."""
    reviewed: int = 0
    """What changed up to here in the log, a sleep has surely looked at; 0 when everything is to be looked at.

    That is one sleep further back than the last one: what came between the last one's decision and its place in the
    log, it has not seen.
    """
    spared: float = 0.0
    """Days that have passed and that no sleep has aged it by."""
    spared_until: float | None = None
    """Up to when that is so, in seconds since 1970; None before the first sleep by the clock."""
    last_slept_at: datetime | None = None
    """When it last slept over a session, so that everything faded."""
    active: tuple[int, ...] = (0,) * LEVELS
    """How many memories are active, for each level."""
    archived: int = 0
    defined_at: datetime

    @property
    def rules(self) -> Policy:
        """The policy in force."""
        return Policy.of(self.policy)

    @property
    def coming(self) -> Policy:
        """The policy that is in force after the next sleep."""
        return Policy.of(self.policy if self.next_policy is None else self.next_policy)

    def clock(self, memory: "Memory") -> float:
        """The clock that a memory's strength runs by."""
        return ARCHIVED_CLOCK if memory.status == "archived" else self.clocks[memory.level]

    def strength(self, memory: "Memory", perspective: str | None = None) -> float:
        """The memory's strength now, overall or in a perspective; one not kept counts as the strength."""
        kept = memory.perspectives.get(perspective, memory.kept) if perspective else memory.kept
        return strength(kept, self.clock(memory))

    def counting(self, before: "Memory | None", after: "Memory | None") -> "Agent":
        """The agent with its totals kept in step with one memory's change; None where there is none."""
        if before is not None and after is not None and (before.status, before.level) == (after.status, after.level):
            return self
        active, archived = list(self.active), self.archived
        for memory, step in ((before, -1), (after, 1)):
            if memory is None:
                continue
            if memory.status == "archived":
                archived += step
            else:
                active[memory.level] += step
        return self.replace(active=tuple(active), archived=archived)


class Memory(RowModel):
    """How strongly something is remembered: what changes; narrow, because it changes often."""

    memory_id: UUID
    agent_id: str
    status: Literal["active", "archived"] = "active"
    level: int = 0
    kept: float
    """ln strength - clock, of when it was last touched; ln strength while archived."""
    perspectives: Mapping[str, float]
    """The same for each perspective."""
    candidate_count: int = 0
    access_count: int = 0
    effective_uses: int = 0
    """The uses that count towards consolidation: less than all of them after a reactivation."""
    impact_score: float = 0.0
    last_accessed_at: datetime | None = None
    archived_at: datetime | None = None
    """By the log's time; None while it is active."""
    yields_to: tuple[UUID, ...] = ()
    """Newer memories that contradict or supersede it."""
    revision: int = 0
    """Counts what moved its strength, level or status."""
    changed: int
    """The log's sequence of what last changed this row."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def fade(self) -> float:
        """The strongest of what it keeps: once this is below ln threshold - clock, it has faded altogether."""
        return max((self.kept, *self.perspectives.values()))


class Content(RowModel):
    """What is remembered: written once."""

    memory_id: UUID
    agent_id: str
    memory: MemoryContent
    links: tuple[UUID, ...]
    relations: tuple[Relation, ...] = ()
    """What it was said to contradict or supersede when it began."""
    vector: str
    source: str
    origin: Origin = Origin()
    created_at: datetime
    created: int
    """The log's sequence of its beginning."""


class Scorer(RowModel):
    """The newest version of an agent's learned scorer."""

    agent_id: str
    number: int
    weights: Weights
    samples: int
    tasks: int
    until: int
    held_out: HeldOut
    serves: bool
    trained_at: datetime


def is_principle(definition: Definition, content: Content) -> bool:
    """Whether a memory is a principle of an agent that is defined so.

    Only a definition makes principles: what a client, a task or a textbook has put into its mind is none, whatever its
    tags say. It is one only as long as the definition names it: taken out, it stays as an ordinary memory, which may
    fade; named again, it is one again.
    """
    return content.source == "definition" and (content.memory.content, content.memory.scope) in definition.held


Remembered = tuple[Content, Memory]
"""What is remembered, and how strongly."""


@dataclass(frozen=True, slots=True)
class Mind:
    """An agent with its memories, or with as many of them as the events at hand concern."""

    agent: Agent | None = None
    memories: Map[UUID, Memory] = field(default_factory=Map)
    contents: Map[UUID, Content] = field(default_factory=Map)
    scorer: Scorer | None = None

    def with_agent(self, **changes: object) -> "Mind":
        """The mind with some fields of the agent changed; unchanged when there is no agent."""
        if self.agent is None:
            return self
        return Mind(self.agent.replace(**changes), self.memories, self.contents, self.scorer)

    def known(self, memory_ids: Iterable[UUID]) -> tuple[Memory, ...]:
        """Those of the memories that there are, each once."""
        return memory_totals.known(self.memories, memory_ids)

    def holding(self, memories: Iterable[Memory]) -> "Mind":
        """The mind with these memories new or changed, its totals in step."""
        changed = tuple(memories)
        if self.agent is None or not changed:
            return self
        agent, held = memory_totals.holding(self.agent, self.memories, changed)
        return Mind(agent, held, self.contents, self.scorer)

    def without(self, memory_ids: Iterable[UUID]) -> "Mind":
        """The mind without these memories, its totals in step."""
        gone, contents = self.known(memory_ids), self.contents
        agent, memories = memory_totals.without(self.agent, self.memories, gone)
        for memory in gone:
            contents = contents.delete(memory.memory_id) if memory.memory_id in contents else contents
        return replace(self, agent=agent, memories=memories, contents=contents)


def moved(agent: Agent, memory: Memory, *, by: int, more: float = 0.0, perspectives: Mapping[str, float]) -> Memory:
    """The memory with its strength raised by `more` and its perspectives by theirs, as of the event at `by`."""
    clock = agent.clock(memory)
    kept = dict(memory.perspectives)
    for name, step in perspectives.items():
        kept[name] = base(agent.strength(memory, name) + step, clock)
    return memory.replace(
        kept=base(agent.strength(memory) + more, clock) if more else memory.kept,
        perspectives=kept,
        revision=memory.revision + 1,
        changed=by,
    )


def rebased(agent: Agent, memory: Memory, *, level: int, status: Literal["active", "archived"], by: int) -> Memory:
    """The memory at another level or status, with the strengths that it has now."""
    after = memory.replace(level=level, status=status)
    shift = agent.clock(memory) - agent.clock(after)
    return after.replace(
        kept=memory.kept + shift,
        perspectives={name: kept + shift for name, kept in memory.perspectives.items()},
        revision=memory.revision + 1,
        changed=by,
    )
