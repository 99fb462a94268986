"""Agents and what they remember, as they are now."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from nemuri_contracts.agents import Definition, Embedding
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.event import Identifier, Value
from nemuri_contracts.strength import Candidate, Origin, Relation


class IdView(Value):
    """The whole of an id that was asked for by its beginning."""

    found: UUID


class EventView(Value):
    """The event that counts under an id, which is the first one."""

    sequence: int | None = None
    """Its place in the log; None where there is none of that id."""
    digest: str | None = None
    """The SHA-256 of its JSON with sorted keys, to which `client_id` is added: what two equal events have in common."""


class FadingView(Value):
    """How fast an agent forgets what it never uses."""

    by_clock: bool
    """Whether fading is tied to the clock, so that tasks in a burst do not count as days."""
    tasks_per_day: float
    """So many tasks age its memories by a day."""
    days: float | None
    """Days until a memory that is never used is archived; None where it never is."""


class AgentView(Value):
    """An agent as it is now."""

    agent_id: Identifier
    definition: Definition
    embedding: Embedding
    sessions_slept: int
    active: int
    archived: int
    fading: FadingView | None = None
    """None where memories fade in another way than by use."""


class AgentsView(Value):
    """The agents, by name."""

    agents: tuple[AgentView, ...]


class MemoryView(Value):
    """A memory as it is now."""

    memory_id: UUID
    agent_id: Identifier
    memory: MemoryContent
    source: str
    """By what way it came: task, manual, education or definition."""
    origin: Origin = Origin()
    principle: bool = False
    """Whether it is always kept in mind: as long as the agent's definition names it."""
    links: tuple[UUID, ...]
    relations: tuple[Relation, ...] = ()
    """The older memories that it contradicts or supersedes."""
    yields_to: tuple[UUID, ...] = ()
    """The newer memories that contradict or supersede it."""
    status: Literal["active", "archived"]
    strength: float
    strength_by_perspective: dict[str, float]
    level: int
    candidate_count: int
    access_count: int
    impact_score: float
    last_accessed_at: datetime | None
    last_decay_at: datetime | None = None
    """The agent's last sleep over a session since the memory began; None before that, and while it is archived."""
    archived_at: datetime | None = None
    """When it was archived; None while it is active."""
    created_at: datetime
    updated_at: datetime | None = None
    """When something last changed of it by itself, retrievals included; None where that is not known."""


class MemoriesView(Value):
    """A page of memories, strongest first; fewer than asked for where more would not fit one reply."""

    memories: tuple[MemoryView, ...]
    following: int | None = None
    """The offset of the next page; None where there is none."""


class RememberedView(Value):
    """What became of offered memories."""

    pending: tuple[UUID, ...] = ()
    """Offers that are not decided yet, in the order asked."""
    refused: tuple[UUID, ...] = ()


class RecalledMemory(Value):
    """A memory that came to mind."""

    candidate: Candidate
    memory: MemoryContent


class PrincipleView(Value):
    """A memory that is in every context, relevant or not."""

    memory_id: UUID
    memory: MemoryContent


class RecallView(Value):
    """What came to mind, best first, and by which ranking."""

    ranking: str
    memories: tuple[RecalledMemory, ...]
    """None where nothing relevant is remembered."""
    deep: bool = False
    """Whether the archive was asked."""
    principles: tuple[PrincipleView, ...] = ()
    """What a task would be given besides, whatever it asks; strongest first."""


class StatusView(Value):
    """The views' place in the log and what they hold."""

    projected: int
    tasks: dict[str, int]
    """Tasks by status."""
    agents: int
    memories: int
    halted: str | None = None
    """Why the views do not go on; None while they do."""
    halted_at: int | None = None
    """The event at which they do not go on; None where the reason is no event."""


class MemoView(Value):
    """An agent's table of contents, as it would be given now."""

    agent_id: Identifier
    memo: str
    """Topics, strongest first, each with the number of memories about it; "" for none."""
    tokens: int
    """What it costs, by the offline estimate."""
    limit: int
    """What it may cost, by the agent's policy."""


class RetriedView(Value):
    """An event that a service had given up on is handled."""

    kind: str
    sequence: int
