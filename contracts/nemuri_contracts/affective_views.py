"""Views of affective memory."""

from datetime import date, datetime
from typing import Literal
from uuid import UUID

from pydantic import JsonValue

from nemuri_contracts.affective import Category, Concern, Emotion, LinkSort
from nemuri_contracts.event import Text, Value


class AffectMemoryView(Value):
    """View of an affective memory."""

    memory_id: UUID
    label: str
    project: str | None
    """Project in which the turn took place; None outside of one."""
    concern: Concern
    personal: bool
    """True if it is about the user, so that it may be recalled in every project."""
    only_asked: bool = False
    """True if it is never shown unasked."""
    idle_shows: int = 0
    """Number of session starts at which it was shown since it was last recalled, of a memory that fades by them."""
    said_at: datetime
    level: int
    """Level of detail: 1 full, 2 summary, 3 keywords, 4 archived."""
    retention: float
    """Retention at the last nightly job, 0 to 100."""
    coefficient: float
    days: float
    """Age in days at the last nightly job, or when the memory was archived. The night after a recall reduces it."""
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
    """Full text of a turn. It is available as long as the turn is in the log, whatever the level of its memory."""

    label: str
    """Label of the memory."""
    session: str
    said_at: datetime
    prompt: Text
    reply: Text


class RecalledView(Value):
    """A recalled memory with its scores and the reason for the recall."""

    memory: AffectMemoryView
    priority: float
    similarity: float
    """Mean of the cosine similarity and of the share of the prompt's words, at most 1."""
    resonance: float
    by: Literal["similarity", "category", "time", "fill", "relation"]
    """Reason for the recall. `fill`: it only fills the requested number. `relation`: it is related to another recalled
    memory.
    """
    relation: LinkSort | None = None
    held_until: datetime | None = None
    """Time of the newer memory about the same matter, until which this one held; None if it holds."""
    replaced_by: str | None = None
    """Label of that memory."""


class AffectRecallView(Value):
    """Answer to a recall: the memories that fit into `block`, best first, and the block."""

    recalled: tuple[RecalledView, ...]
    block: Text
    """Text for an assistant's prompt, between `<memories>` and `</memories>`; "" without memories."""
    words_only: bool = False
    """True if no vector was available in time and words were compared instead."""


class AffectPageView(Value):
    """A page of affective memories, newest first."""

    memories: tuple[AffectMemoryView, ...]
    older: UUID | None
    """Value of `older_than` for the next page; None if there is none."""


class AffectBriefView(Value):
    """The most important memories of a project, one line each, for the start of an assistant's session."""

    block: Text
    """Text between `<memories>` and `</memories>`; "" without memories."""
    memories: tuple[UUID, ...]
    """Ids of the memories in the block."""


class ProjectCount(Value):
    """A project with memories."""

    project: str | None
    """Name of the project; None for memories outside of every project."""
    memories: int


class MoodPoint(Value):
    """Mean emotion of the memories of one day."""

    day: date
    valence: float
    """Mean valence, -1 to 1."""
    arousal: float
    intensity: float
    memories: int


class AffectView(Value):
    """State of an affective memory."""

    agent_id: str
    nights: int
    last_night: date | None
    levels: tuple[int, int, int, int]
    """Number of unprotected memories at levels 1, 2, 3 and in the archive."""
    characters: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Characters of text that these memories hold: triggers and contents."""
    protected: int
    protected_characters: int = 0
    """Characters of text that the protected memories hold."""
    limit: int
    waiting: tuple[AffectMemoryView, ...]
    """Memories that wait for protection until the user releases a protected one."""
    oldest_protected: tuple[AffectMemoryView, ...]
    """Protected memories that the user may release, oldest first. Empty unless the maximum number of memories is
    protected, or memories wait for protection.
    """
    moods: tuple[MoodPoint, ...]
    """Mean emotion of each of the last days that have memories, oldest first."""
    memories: tuple[AffectMemoryView, ...]
    """Active memories with the highest retention, strongest first."""
    projects: tuple[ProjectCount, ...]
    """Projects with active or archived memories, the largest first."""
    merged: dict[str, str]
    """The project to which the memories of each merged project belong, by the name of the merged project."""
    remembered: int
    """Number of turns that became memories. Erased memories are not counted."""
    compressed: tuple[int, int]
    """Two numbers: memories compressed at least to a summary, and memories compressed to keywords."""
    recalls: int
    first_at: datetime | None
    spent_tokens: int = 0
    """Tokens that language models spent on the agent's memories today (UTC)."""
    spent_money: float = 0.0
    """Sum of the known prices of these calls."""
    providers: tuple[Text, ...] = ()
    """Model providers of the platform, in the order in which they are asked; `extractive` reads by the lexicon."""
    read_by: Text | None = None
    """Model that read the newest turn, `lexicon` for the lexicon; None before the first turn."""
    embedder: Text | None = None
    """Model of the vectors by which prompts are compared with memories; None for an agent that is not defined."""
    parameters: dict[str, JsonValue]
    """Parameters in force that differ from the defaults."""
    coming: dict[str, JsonValue] | None = None
    """Parameters that apply from the next nightly job; None if no change is pending."""
