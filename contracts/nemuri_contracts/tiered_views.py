"""What is answered about tiered memory."""

from typing import Literal
from uuid import UUID

from pydantic import JsonValue

from nemuri_contracts.event import Text, Value
from nemuri_contracts.tiered import Because, Layer, MemoryType, Module, Sharing


class TierMemoryView(Value):
    """A tiered memory as people see it."""

    memory_id: UUID
    agent_id: str
    """Its author."""
    layer: Layer
    type: MemoryType
    content: Text
    participants: tuple[str, ...] = ()
    """Of an experience; where several became one, they are among its tags."""
    tags: tuple[str, ...] = ()
    importance: float
    at: float
    """When it began, in seconds of the agent's clock: since 1970, or since its simulation began."""
    access_count: int
    sources: tuple[UUID, ...] = ()
    """The experiences that it came from."""
    going: bool = False
    """Whether it is about to become part of another memory."""
    scope: Literal["private"] | Sharing = "private"
    visible_to: tuple[str, ...] = ()


class TierRecalledView(Value):
    """A memory that came to mind, and why."""

    memory: TierMemoryView
    relevance: float
    """The cosine to what was asked, -1 to 1."""
    recency: float
    """1 for now, half of it after 1.4 hours by default."""
    importance: float
    score: float
    """The three, weighed as the module does."""


class TiersRecallView(Value):
    """What came to mind, best first."""

    module: Module
    weights: tuple[float, float, float]
    """Of relevance, recency and importance."""
    working: bool
    """Whether the module refers to working memory besides, which only who lives by it has."""
    recalled: tuple[TierRecalledView, ...]


class TiersView(Value):
    """How a tiered memory stands."""

    agent_id: str
    hours: float
    """How long it has lived by its own clock."""
    short: int
    capacity: int
    """How much short-term memory holds by now."""
    interval: float
    """Seconds between consolidations by now."""
    going: int
    """Memories that are about to become part of others."""
    long: int
    long_capacity: int
    types: dict[MemoryType, int]
    shared: int
    """Memories that others may see."""
    consolidated_at: float | None
    consolidated_for: Because | None
    newest: tuple[TierMemoryView, ...]
    """Of short-term memory, newest first."""
    formed: tuple[TierMemoryView, ...]
    """Of long-term memory, newest first."""
    parameters: dict[str, JsonValue]
    """Those in force that differ from the defaults."""
