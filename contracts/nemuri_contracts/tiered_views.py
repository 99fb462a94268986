"""Views of tiered memory."""

from typing import Literal
from uuid import UUID

from pydantic import JsonValue

from nemuri_contracts.event import Text, Value
from nemuri_contracts.tiered import Because, Layer, MemoryType, Module, Sharing


class TierMemoryView(Value):
    """View of a tiered memory."""

    memory_id: UUID
    agent_id: str
    """Author of the memory."""
    layer: Layer
    type: MemoryType
    content: Text
    participants: tuple[str, ...] = ()
    """Participants of an experience. Empty for a merged memory, whose tags name its participants."""
    tags: tuple[str, ...] = ()
    importance: float
    at: float
    """Start time in seconds of the agent's clock: since 1970, or since its simulation began."""
    access_count: int
    sources: tuple[UUID, ...] = ()
    """Ids of the experiences from which it was formed; empty for an experience."""
    merging: bool = False
    """True if it will be merged into another memory."""
    scope: Literal["private"] | Sharing = "private"
    visible_to: tuple[str, ...] = ()


class TierRecalledView(Value):
    """A retrieved memory with its scores."""

    memory: TierMemoryView
    relevance: float
    """Cosine similarity to the query, -1 to 1."""
    recency: float
    """Recency: 1 for now, halved every 1.4 hours by default."""
    importance: float
    score: float
    """Sum of relevance, recency and importance, each multiplied by its weight for the module."""
    succeeded_by: UUID | None = None
    """A retrieved memory about the same thing that is newer, and therefore comes first; None if there is none."""


class TiersRecallView(Value):
    """Retrieved memories, best first."""

    module: Module
    weights: tuple[float, float, float]
    """Weights of relevance, recency and importance."""
    working: bool
    """True if the module uses working memory too. Only the agent's host has working memory, so it is not in `recalled`.
    """
    recalled: tuple[TierRecalledView, ...]


class TiersView(Value):
    """State of a tiered memory."""

    agent_id: str
    hours: float
    """Hours that the agent has lived: since its definition, or since the start of its simulation."""
    short: int
    capacity: int
    """Current capacity of short-term memory, in memories."""
    interval: float
    """Current interval between consolidations, in seconds."""
    merging: int
    """Number of memories that will be merged into others."""
    long: int
    long_capacity: int
    types: dict[MemoryType, int]
    shared: int
    """Number of memories visible to other agents."""
    consolidated_at: float | None
    consolidated_for: Because | None
    newest: tuple[TierMemoryView, ...]
    """Short-term memories, newest first."""
    formed: tuple[TierMemoryView, ...]
    """Long-term memories, newest first."""
    parameters: dict[str, JsonValue]
    """Parameters in force that differ from the defaults."""
