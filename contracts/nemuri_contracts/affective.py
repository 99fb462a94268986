"""Affective memory: what turns leave behind, how strongly they were felt, what nights make of it (document 001).

An agent whose definition says `memory: affective` remembers turns (one prompt and the reply to it), each
with what was felt, and forgets by night. It is asked for memories; it takes no tasks.
"""

from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts import wire_constants
from nemuri_contracts.event import AgentEvent, ClientEvent, Identifier, Label, Text, Usage, Value

TURN_LIMIT = wire_constants.TURN_LIMIT
"""Characters of a prompt, and of a reply, that are taken in."""
SUMMARY_LIMIT = 8_000
"""Characters of a memory's trigger, and of its content."""

Valence = Literal["positive", "negative", "neutral"]
Category = Literal["casual", "work", "decision", "emotional"]
PositiveTag = Literal[
    "joy", "satisfaction", "relief", "excitement", "gratitude", "pride", "hope", "love", "curiosity"
]  # fmt: skip
NegativeTag = Literal[
    "sadness", "anger", "frustration", "anxiety", "fear", "disgust", "regret", "loneliness", "guilt", "resignation"
]  # fmt: skip
OtherTag = Literal["nostalgia", "surprise", "confusion", "determination"]
Tag = PositiveTag | NegativeTag | OtherTag
"""The emotions that a turn can be tagged with (document 001, emotional tags)."""
LinkSort = Literal["continues", "references", "derived_from", "contradicts", "same_topic"]

Percent = Annotated[int, Field(ge=0, le=100)]
Summary = Annotated[Text, Field(max_length=SUMMARY_LIMIT)]


class Emotion(Value):
    """What is felt: the kind and how awake, without how strongly."""

    valence: Valence = "neutral"
    arousal: Percent = 30
    tags: Annotated[tuple[Tag, ...], Field(max_length=8)] = ()


class Reading(Value):
    """What a turn means and how it felt; read by a model, or by words and marks in the text."""

    intensity: Percent
    emotion: Emotion
    category: Category
    keywords: Annotated[tuple[Label, ...], Field(max_length=16)] = ()
    trigger: Summary
    """What set it off: the prompt, in one or two sentences."""
    content: Summary
    """What was done and felt about it: a summary of the reply."""
    protect: bool = False
    """Whether the user said that this is to be remembered."""


class Link(Value):
    """A relation from the memory that holds it to another."""

    to: UUID
    sort: LinkSort


class Tie(Value):
    """A relation between two memories, in its direction."""

    of: UUID
    to: UUID
    sort: LinkSort


class TurnOffered(ClientEvent):
    """A client hands over one turn of a session that has ended; the event's id is the turn's own identity."""

    kind: Literal["turn_offered"] = "turn_offered"
    agent_id: Identifier
    session: Label
    prompt: Text = Field(min_length=1, max_length=TURN_LIMIT)
    reply: Text = Field(default="", max_length=TURN_LIMIT)
    said_at: datetime
    """When the prompt was given."""
    ended_at: datetime
    """When the session ended: from here on it fades."""


class TurnRemembered(AgentEvent):
    """A turn becomes a memory; the event's id is the memory's id."""

    kind: Literal["turn_remembered"] = "turn_remembered"
    turn_id: UUID
    """The event of the client that holds the turn word for word."""
    session: Label
    label: str = Field(pattern=r"^mem_\d{8}_\d{3,}$")
    """For people: the day of the turn and a number."""
    said_at: datetime
    reading: Reading
    read_by: Text
    """Which model read it; `lexicon` for words and marks."""
    usage: Usage | None = None
    coefficient: float = Field(gt=0, lt=1)
    """What a day leaves of its retention."""
    days: float = Field(ge=0)
    """Its age when it begins: the share of a day that is left until the night after the session's end."""
    protection: Literal["none", "protected", "asked"] = "none"
    """`asked`: it is to be protected, as soon as there is room; else the user is to say which other one to release."""
    relations: tuple[Link, ...] = ()
    """To older memories, as the turn's own words tell; nights give them their direction."""
    vector: Text
    """The key of the vector of its trigger and content."""

    @property
    def memory_id(self) -> UUID:
        """The memory that begins with this event."""
        return self.event_id


class MemoriesRecalled(AgentEvent):
    """These memories came to mind in a session; that they did is noted, and the next night reinforces them."""

    kind: Literal["memories_recalled"] = "memories_recalled"
    session: Label | None = None
    recalled: tuple[UUID, ...] = ()
    """Active ones."""
    asked_back: tuple[UUID, ...] = ()
    """Archived ones that were similar enough to be asked back."""
    mood: Emotion | None = None
    """What is felt in the session from here on: the emotion of the first of them."""


class ProtectionChanged(AgentEvent):
    """A memory is protected from forgetting, or is not any more."""

    kind: Literal["protection_changed"] = "protection_changed"
    memory_id: UUID
    protected: bool


class NightFell(AgentEvent):
    """The hour of an agent's night has come; one for each agent and day."""

    kind: Literal["night_fell"] = "night_fell"
    date: date
    """The day that it belongs to, where the agent is at home."""
    nights: int = Field(ge=1, le=100_000)
    """Days since the night before; more than one where nights were missed."""


class Lowered(Value):
    """A memory that falls to a lower level."""

    memory_id: UUID
    level: Literal[2, 3]


class Revived(Value):
    """A memory that comes back from the archive."""

    memory_id: UUID
    score: float = Field(ge=0, le=1_000)
    """The retention that it begins with again."""


class NightPassed(AgentEvent):
    """A night has passed: days were counted, recalls reinforced, levels lowered, ratios enforced, relations mended."""

    kind: Literal["night_passed"] = "night_passed"
    date: date
    nights: int = Field(ge=0, le=100_000)
    """Days that passed; 0 where it goes on with an unfinished night."""
    recalled: tuple[UUID, ...] = ()
    """Those that were reinforced for having been recalled."""
    lowered: tuple[Lowered, ...] = ()
    archived: tuple[UUID, ...] = ()
    revived: tuple[Revived, ...] = ()
    """Those that came back this night; an event that goes on with it tells them again, for they stay."""
    declined: tuple[UUID, ...] = ()
    """Archived ones that were asked back and for which there was no room; they may be asked back again."""
    protected: tuple[UUID, ...] = ()
    """Those that waited for protection, for which there is room by now."""
    untied: tuple[Tie, ...] = ()
    tied: tuple[Tie, ...] = ()
    looked_at: tuple[UUID, ...] = ()
    """New and changed memories that were compared with all others; they need not be again."""
    deleted: tuple[UUID, ...] = ()
    """Archived ones that are let go, to be erased: they come to mind no more."""
    unfinished: bool = False
    """Whether there was more to do than one event holds; one that follows goes on with it."""


class CompressionDue(AgentEvent):
    """A memory that fell is to be put into fewer words."""

    kind: Literal["compression_due"] = "compression_due"
    memory_id: UUID
    level: Literal[2, 3]


class MemoryCompressed(AgentEvent):
    """A memory is held in fewer words from now on: a summary at level 2, keywords at level 3."""

    kind: Literal["memory_compressed"] = "memory_compressed"
    memory_id: UUID
    level: Literal[2, 3]
    trigger: Summary
    content: Summary
    compressed_by: Text
    """Which model wrote it; `extractive` for its own sentences and words."""
    usage: Usage | None = None
    vector: Text


AffectEvent = (
    TurnRemembered | MemoriesRecalled | ProtectionChanged | NightFell | NightPassed | CompressionDue | MemoryCompressed
)
"""What happens in the mind of an agent with affective memory."""
