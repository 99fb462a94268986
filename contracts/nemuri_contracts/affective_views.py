"""What is answered about affective memory."""

from datetime import date, datetime
from typing import Literal
from uuid import UUID

from pydantic import JsonValue

from nemuri_contracts.affective import Category, Emotion, LinkSort
from nemuri_contracts.event import Text, Value


class AffectMemoryView(Value):
    """An affective memory as people see it."""

    memory_id: UUID
    label: str
    said_at: datetime
    level: int
    """1 whole, 2 a summary, 3 keywords, 4 archived."""
    retention: float
    """As of the last night, 0 to 100."""
    coefficient: float
    days: float
    """Its age as of the last night; a recall halves it."""
    intensity: int
    emotion: Emotion
    category: Category
    keywords: tuple[str, ...]
    trigger: Text
    content: Text
    recall_count: int
    protection: Literal["none", "protected", "asked"]
    archived: bool


class TurnView(Value):
    """A turn word for word, as it was handed over; there is one while its memory is at level 1."""

    label: str
    """Of its memory."""
    session: str
    said_at: datetime
    prompt: Text
    reply: Text


class RecalledView(Value):
    """A memory that came to mind, and why."""

    memory: AffectMemoryView
    priority: float
    similarity: float
    """Cosine, or the share of words where there was no time for a vector."""
    resonance: float
    by: Literal["similarity", "category", "time", "fill", "relation"]
    """What brought it up; `fill` for one that only fills up the number, `relation` for one that belongs to another."""
    relation: LinkSort | None = None


class AffectRecallView(Value):
    """What came to mind and fits into the block of text that an assistant is given, best first."""

    recalled: tuple[RecalledView, ...]
    block: Text
    """`<memories>` … `</memories>`; "" for nothing."""
    words_only: bool = False
    """Whether there was no vector in time, so that words were compared."""


class MoodPoint(Value):
    """What was felt on a day: means over the memories of that day."""

    day: date
    valence: float
    """-1 to 1."""
    arousal: float
    intensity: float
    memories: int


class AffectView(Value):
    """How an affective memory stands."""

    agent_id: str
    nights: int
    last_night: date | None
    levels: tuple[int, int, int, int]
    """Memories at levels 1 to 3 and in the archive, without the protected ones."""
    protected: int
    limit: int
    waiting: tuple[AffectMemoryView, ...]
    """Memories that wait for protection; the user is to say which of the protected ones to release."""
    oldest_protected: tuple[AffectMemoryView, ...]
    """Which of them could be released, oldest first; only while something waits or there is no room for another."""
    moods: tuple[MoodPoint, ...]
    """The last days on which something was remembered, oldest first."""
    memories: tuple[AffectMemoryView, ...]
    """The strongest."""
    remembered: int
    """All turns that became memories, so far."""
    compressed: tuple[int, int]
    """How many summaries and keyword lists were made, so far."""
    recalls: int
    first_at: datetime | None
    parameters: dict[str, JsonValue]
    """Those in force that differ from the defaults."""
    coming: dict[str, JsonValue] | None = None
    """Those that come into force with the next night."""
