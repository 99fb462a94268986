"""Tombstones: events that list erased ids, never erased content.

A tombstone is appended before the deletion, so an interrupted erasure can be completed from it. Tombstones stay in the
log. An event with an erased id is ignored, for example one from an old copy of the log or from a late client.
"""

from typing import Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.event import AgentEvent, Count, Identifier, Moment, TaskEvent, Text, Value
from nemuri_contracts.strength import Relation


class Erasure(Value):
    """Memories, tasks, agents and events that are erased together, because some are derived from others."""

    memories: dict[Identifier, tuple[UUID, ...]] = Field(default_factory=dict)
    """Ids of the memories to erase, by agent. Memories of the agents in `agents` are not listed."""
    restated: tuple[Identifier, ...] = ()
    """Agents whose remaining memories were changed by erased events. Tombstones restate the states of these memories.
    """
    tasks: tuple[UUID, ...] = ()
    agents: tuple[Identifier, ...] = ()
    events: tuple[UUID, ...] = ()
    """Ids of further events that contain erased content, such as offered memories and courses."""


class Standing(Value):
    """State of a memory that remains after an erasure. A replay without the erased events takes the state from this
    record.
    """

    memory_id: UUID
    status: Literal["active", "archived", "absorbed", "split"]
    level: int = Field(ge=0, le=5)
    stored_strength: float
    perspectives: dict[Text, float]
    candidate_count: Count
    access_count: Count
    effective_uses: Count
    impact_score: float
    last_accessed_at: Moment | None
    archived_at: Moment | None
    unconfirmed: bool
    pinned: bool
    rescoped: Count
    relations: tuple[Relation, ...] = ()
    yields_to: tuple[UUID, ...]
    held_until: dict[UUID, Moment] = Field(default_factory=dict)
    absorbed_by: UUID | None = None
    text_id: UUID | None = None
    told_again_at: Moment | None = None
    revision: Count


class MemoriesErased(AgentEvent):
    """Memories of the agent were erased. `standing` has the states of remaining memories that erased events had
    changed.
    """

    kind: Literal["memories_erased"] = "memories_erased"
    memory_ids: tuple[UUID, ...]
    """Ids of the erased memories."""
    standing: tuple[Standing, ...] = ()
    """New state of other memories after the erasure."""
    erasure: Erasure | None = None
    """The complete set to erase. Only the first tombstone of an erasure has it."""


class TaskErased(TaskEvent):
    """A task was erased with its request, its answer and everything that followed from it."""

    kind: Literal["task_erased"] = "task_erased"
    erasure: Erasure | None = None
    """The complete set to erase. Only the first tombstone of an erasure has it."""


class AgentErased(AgentEvent):
    """An agent was erased with all its memories. Its id no longer exists."""

    kind: Literal["agent_erased"] = "agent_erased"
    erasure: Erasure | None = None
    """The complete set to erase. Only the first tombstone of an erasure has it."""


Tombstone = MemoriesErased | TaskErased | AgentErased
