"""Tombstones: what was erased, by its ids and never by its content.

They come before the deletion, so that an erasure which was interrupted can be completed from them, and they stay: what
comes with an erased id, from an old copy of the log or from somebody who was late, comes to nothing.
"""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.event import AgentEvent, Count, Identifier, TaskEvent, Text, Value


class Erasure(Value):
    """All that goes together, because one thing came from another."""

    memories: dict[Identifier, tuple[UUID, ...]] = Field(default_factory=dict)
    """Memories of each agent that keeps others; of an erased agent they are not named."""
    restated: tuple[Identifier, ...] = ()
    """Agents that are told how their other memories stand, because events that moved those go too."""
    tasks: tuple[UUID, ...] = ()
    agents: tuple[Identifier, ...] = ()
    events: tuple[UUID, ...] = ()
    """Other events that hold the same words: offers of memories, courses that taught them."""


class Standing(Value):
    """How a memory stands that is not erased, whatever the erased events did to it."""

    memory_id: UUID
    status: Literal["active", "archived"]
    level: int = Field(ge=0, le=5)
    kept: float
    perspectives: dict[Text, float]
    candidate_count: Count
    access_count: Count
    effective_uses: Count
    impact_score: float
    last_accessed_at: datetime | None
    archived_at: datetime | None
    yields_to: tuple[UUID, ...]
    revision: Count


class MemoriesErased(AgentEvent):
    """These memories of the agent are erased, and those that the erased events had moved stand as is said here."""

    kind: Literal["memories_erased"] = "memories_erased"
    memory_ids: tuple[UUID, ...]
    standing: tuple[Standing, ...] = ()
    whole: Erasure | None = None
    """All that goes, in the first tombstone of an erasure."""


class TaskErased(TaskEvent):
    """The task is erased: what was asked, what was answered, what became of it."""

    kind: Literal["task_erased"] = "task_erased"
    whole: Erasure | None = None
    """All that goes, in the first tombstone of an erasure."""


class AgentErased(AgentEvent):
    """The agent is erased with everything that it remembered; nobody is called so any more."""

    kind: Literal["agent_erased"] = "agent_erased"
    whole: Erasure | None = None
    """All that goes, in the first tombstone of an erasure."""


Tombstone = MemoriesErased | TaskErased | AgentErased
