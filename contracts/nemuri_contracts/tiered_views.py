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
    """Participants of an experience. A merged memory has them among its tags."""
    tags: tuple[str, ...] = ()
    importance: float
    at: float
    """Start time in seconds of the agent's clock: since 1970, or since its simulation began."""
    access_count: int
    sources: tuple[UUID, ...] = ()
    """Experiences from which it was formed."""
    going: bool = False
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
    """Sum of the three, weighted by the module's weights."""


class TiersRecallView(Value):
    """Retrieved memories, best first."""

    module: Module
    weights: tuple[float, float, float]
    """Weights of relevance, recency and importance."""
    working: bool
    """True if the module also uses working memory, which only the agent's host has."""
    recalled: tuple[TierRecalledView, ...]


class TiersView(Value):
    """State of a tiered memory."""

    agent_id: str
    hours: float
    """Hours since its first event, on its own clock."""
    short: int
    capacity: int
    """Current capacity of short-term memory."""
    interval: float
    """Current interval between consolidations, in seconds."""
    going: int
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
