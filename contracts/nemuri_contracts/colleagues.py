"""Events by which one agent's knowledge reaches another: a handover of memories, and the copies of a cloned agent."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.client_events import TEXT_LIMIT, InSetting, MemoryContent
from nemuri_contracts.event import (
    AgentEvent,
    ClientEvent,
    Count,
    Identifier,
    Label,
    Moment,
    Text,
    Usage,
    Value,
    Written,
)
from nemuri_contracts.strength import Experiences, NewMemory, Origin, Relation, Source

HANDOVER_LIMIT = 50
"""Maximum number of memories in one handover."""


class HandoverWish(InSetting):
    """A request that one agent passes on memories to another.

    Without topic, query and task, the receiver's role and perspectives say what it needs.
    """

    source: Identifier
    """Agent that passes on memories."""
    topic: Label | None = None
    """Only memories with this tag."""
    query: Written | None = Field(default=None, max_length=TEXT_LIMIT)
    """Only memories relevant to this text."""
    task_id: UUID | None = None
    """Only memories relevant to this task."""
    top: int = Field(default=10, ge=1, le=HANDOVER_LIMIT)
    """Maximum number of memories."""


class HandoverRequested(ClientEvent):
    """A client asked that one agent pass on to another what the other needs to know."""

    kind: Literal["handover_requested"] = "handover_requested"
    agent_id: Identifier
    """Agent that receives the memories."""
    wish: HandoverWish
    """The memories that are passed on, and their agent."""


class LeftOut(Value):
    """A memory that was not passed on, with the reason."""

    memory_id: UUID
    """Id of the source's memory."""
    reason: Literal["known", "contradicted"]
    """The receiver knows it already, or a newer memory of the receiver contradicts it."""
    by: UUID
    """Id of the receiver's memory that is the reason."""


class MemoriesHandedOver(AgentEvent):
    """Another agent passed on memories to this agent. It keeps its own."""

    kind: Literal["memories_handed_over"] = "memories_handed_over"
    source: Identifier
    """Agent that passed them on."""
    memories: tuple[NewMemory, ...] = Field(default=(), max_length=HANDOVER_LIMIT)
    """Memories that the agent gets. The origin of each names the source's memory."""
    left_out: tuple[LeftOut, ...] = ()
    """Relevant memories that the agent does not get."""
    refused: Text | None = None
    """Reason why nothing could be passed on, in one line; None if it could."""
    usage: Usage | None = None
    """Model usage of comparing them with what the agent knows; None without a model call."""


class MemoryCopied(AgentEvent):
    """A memory of another agent was copied with its state, because this agent is its clone. The event's id is the
    copy's id.
    """

    kind: Literal["memory_copied"] = "memory_copied"
    memory: MemoryContent
    """Content of the memory."""
    links: tuple[UUID, ...] = ()
    """Ids of the memories from which it was learned, and of the original."""
    relations: tuple[Relation, ...] = ()
    """Relations to older copies."""
    origin: Origin
    """Origin of the original, with the original's agent and id."""
    vector: Text
    """Key of the memory's vector. Equal texts have equal keys, so the copy uses the vector of the original."""
    source: Source
    """Kind of the original's source."""
    created_at: Moment
    """Time at which the original was encoded."""
    status: Literal["active", "archived", "absorbed", "split"]
    """Status of the original at the moment of the copy."""
    level: int = Field(ge=0, le=5)
    """Consolidation level of the original."""
    strength: float = Field(gt=0, le=1e15)
    """Overall strength at the moment of the copy."""
    strength_by_perspective: dict[Label, Annotated[float, Field(gt=0, le=1e15)]]
    """Strength in each perspective at the moment of the copy."""
    candidate_count: Count
    """Number of times that the original was in a context."""
    access_count: Count
    """Number of uses of the original."""
    effective_uses: Count
    """Number of uses that count for the consolidation level."""
    impact_score: float = Field(ge=0, le=1e15)
    """Impact points of the original."""
    unconfirmed: bool = False
    """True if the original was inferred and nothing has confirmed it."""
    pinned: bool = False
    """True if a person pinned the original."""
    absorbed_by: UUID | None = None
    """Copy of the semantic memory that stands for it; None if there is none."""
    experiences: Experiences | None = None
    """Experiences behind the original, if it is a semantic memory."""
    last_accessed_at: Moment | None = None
    """Time of the original's last use; None if it was never used."""
    archived_at: Moment | None = None
    """Time of the original's archiving; None if it is active."""

    @property
    def memory_id(self) -> UUID:
        """Return the id of the memory that this event creates."""
        return self.event_id
