"""Events of affective memory: turns, emotions and nightly jobs (document 001).

An agent with `memory: affective` remembers turns (a prompt and its reply), each with an emotion, and forgets in a
nightly job. It answers retrieval queries and takes no tasks.
"""

from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts import wire_constants
from nemuri_contracts.event import AgentEvent, ClientEvent, Identifier, Label, Moment, Text, Usage, Value

TURN_LIMIT = wire_constants.TURN_LIMIT
"""Maximum length of a prompt and of a reply, in characters."""
SUMMARY_LIMIT = 8_000
"""Maximum length of a memory's trigger and of its content, in characters."""

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
"""Emotion tags of a turn (document 001, emotional tags)."""
Concern = Literal["user", "life", "rule", "open", "work", "trivia"]
"""The concern of a turn: the user lastingly (a preference, a habit, a trait), the user's life at present, a rule of the
project, something left open in it, any other work, or nothing worth telling.
"""
LinkSort = Literal["continues", "references", "derived_from", "contradicts", "same_topic"]

Occasion = Literal["prompt", "session_start"]
"""Moment at which an assistant is handed memories."""

Percent = Annotated[int, Field(ge=0, le=100)]
Summary = Annotated[Text, Field(max_length=SUMMARY_LIMIT)]


class Emotion(Value):
    """An emotion: valence, arousal and tags, without intensity."""

    valence: Valence = "neutral"
    arousal: Percent = 30
    tags: Annotated[tuple[Tag, ...], Field(max_length=8)] = ()


class Reading(Value):
    """Emotion, category and texts of a turn, read by a model or by a lexicon of emotion words."""

    intensity: Percent
    emotion: Emotion
    category: Category
    keywords: Annotated[tuple[Label, ...], Field(max_length=16)] = ()
    trigger: Summary
    """Content of the prompt: a model's account of it, or the prompt itself, shortened if long."""
    content: Summary
    """Content of the reply and the user's emotions: a model's account, or the reply itself, shortened if long."""
    protect: bool = False
    """True if the user asked to remember this."""
    concern: Concern = "work"
    """Concern of the turn. It decides where the memory matters, and whether it is shown unasked."""


class TurnMatters(Value):
    """Actions of an assistant in a turn. Each text is one line, shortened, without secrets."""

    files: Annotated[tuple[Label, ...], Field(max_length=30)] = ()
    """Paths of the files that were touched."""
    commands: Annotated[tuple[Label, ...], Field(max_length=15)] = ()
    """Commands that were run."""
    errors: Annotated[tuple[Label, ...], Field(max_length=10)] = ()
    """Errors that came up."""


class Link(Value):
    """A relation to another memory, stored in the memory where the relation starts."""

    to: UUID
    sort: LinkSort


class Tie(Value):
    """A directed relation between two memories."""

    of: UUID
    to: UUID
    sort: LinkSort


class TurnOffered(ClientEvent):
    """A client offered one turn of a finished session. The event's id identifies the turn."""

    kind: Literal["turn_offered"] = "turn_offered"
    agent_id: Identifier
    session: Label
    """Name of the assistant's session in which the turn took place."""
    prompt: Text = Field(min_length=1, max_length=TURN_LIMIT)
    """Words of the user."""
    reply: Text = Field(default="", max_length=TURN_LIMIT)
    """The assistant's reply."""
    project: Label | None = None
    """Project in which the turn took place: the address of its repository, or its directory; None outside of one."""
    matters: TurnMatters = TurnMatters.of_defaults()
    """Actions of the assistant in the turn."""
    said_at: Moment
    """Time of the prompt."""
    ended_at: Moment
    """Time at which the session ended. The memory's decay starts at this time."""
    workdays: int | None = Field(default=None, ge=0, le=100_000)
    """Number of days with turns after the day of the session's end, as far as the client knows them, for a memory that
    ages by workdays; None for a session of now.
    """


class TurnTakenBack(ClientEvent):
    """The user went back to an earlier prompt and gave up a turn that a client had offered already."""

    kind: Literal["turn_taken_back"] = "turn_taken_back"
    agent_id: Identifier
    turn_id: UUID
    """Id of the event that offered the turn."""


class TurnRemembered(AgentEvent):
    """A turn became a memory. The event's id is the memory's id."""

    kind: Literal["turn_remembered"] = "turn_remembered"
    turn_id: UUID
    """Id of the client's event with the full text of the turn."""
    session: Label
    """Name of the assistant's session in which the turn took place."""
    project: Label | None = None
    """Project in which the turn took place; None outside of one."""
    label: str = Field(pattern=r"^mem_\d{8}_\d{3,}$")
    """Display label: the date of the turn and a number, such as `mem_20260131_007`."""
    said_at: Moment
    """Time of the prompt."""
    reading: Reading
    """Emotion, category and texts read from the turn."""
    read_by: Text
    """Model that analysed the turn; `lexicon` for the lexicon."""
    usage: Usage | None = None
    """Tokens used by the model; None without a model call."""
    coefficient: float = Field(gt=0, lt=1)
    """Decay coefficient: retention is multiplied by it each day."""
    days: float = Field(ge=0)
    """Age of the memory at its creation, in days: the time from the session's end to the next nightly job, plus the
    days up to the newest nightly job if the turn was offered later.
    """
    protection: Literal["none", "protected", "asked"] = "none"
    """Protection from forgetting. `asked`: the user asked to protect the memory. A nightly job protects it when fewer
    memories are protected than the policy allows.
    """
    relations: tuple[Link, ...] = ()
    """Relations to older memories, as a model or the words of the prompt tell. The nightly job sets their direction."""
    vector: Text
    """Key of the vector of the memory's trigger and content."""

    @property
    def memory_id(self) -> UUID:
        """Return the id of the memory that this event creates."""
        return self.event_id


class TurnWithdrawn(AgentEvent):
    """The memory of a turn that the user took back is deleted, unless it is protected."""

    kind: Literal["turn_withdrawn"] = "turn_withdrawn"
    memory_id: UUID
    """Id of the memory. It may not exist yet, if the turn is still being read."""


class MemoriesRecalled(AgentEvent):
    """Memories were recalled in a session. The next nightly job reinforces them."""

    kind: Literal["memories_recalled"] = "memories_recalled"
    session: Label | None = None
    """Name of the assistant's session; None outside of a session."""
    recalled: tuple[UUID, ...] = ()
    """Ids of the recalled active memories."""
    asked_back: tuple[UUID, ...] = ()
    """Ids of the recalled archived memories. The next nightly job restores them if there is room."""
    mood: Emotion | None = None
    """Mood of the session from now on: the emotion of the first recalled memory."""


class ContextShown(AgentEvent):
    """A block of memories was handed to an assistant."""

    kind: Literal["context_shown"] = "context_shown"
    occasion: Occasion
    """Moment at which it was handed over."""
    session: Label | None = None
    """Name of the assistant's session; None outside of a session."""
    project: Label | None = None
    """Project of the session; None outside of one."""
    memories: Annotated[tuple[UUID, ...], Field(max_length=1_000)] = ()
    """Ids of the memories in the block, in its order."""
    characters: int = Field(ge=0, le=1_000_000)
    """Length of the block in characters."""


class ProjectMerged(AgentEvent):
    """The memories of one project belong to another project from now on, also those that come later."""

    kind: Literal["project_merged"] = "project_merged"
    project: Label
    """Former project."""
    into: Label
    """Project to which its memories belong."""


class ProtectionChanged(AgentEvent):
    """A memory's protection from forgetting was set or removed."""

    kind: Literal["protection_changed"] = "protection_changed"
    memory_id: UUID
    """Id of the memory."""
    protected: bool
    """True to protect the memory, False to release it."""


class MemoryRescoped(AgentEvent):
    """A person said where a memory matters. What is None stays as it was."""

    kind: Literal["memory_rescoped"] = "memory_rescoped"
    memory_id: UUID
    """Id of the memory."""
    about_user: bool | None = None
    """False if it says nothing about the user, so that it matters in its project only; True if it says something
    lasting about the user, so that it matters in every project.
    """
    project: Label | None = None
    """Project to which it belongs."""
    only_asked: bool | None = None
    """True to show it only to a prompt that it matches, and never unasked at the start of a session."""


class NightFell(AgentEvent):
    """The nightly job of an agent is due. There is one event per agent and day."""

    kind: Literal["night_fell"] = "night_fell"
    date: date
    """Date of the night in the agent's time zone."""
    nights: int = Field(ge=1, le=100_000)
    """Days since the previous nightly job; more than 1 if nights were missed."""


class Lowered(Value):
    """A memory that moves to a lower level of detail."""

    memory_id: UUID
    level: Literal[2, 3]


class Revived(Value):
    """A memory that is restored from the archive."""

    memory_id: UUID
    score: float = Field(ge=0, le=1_000)
    """Retention of the memory after it was restored."""


class NightPassed(AgentEvent):
    """A nightly job finished. Memories aged, recalled ones were reinforced, and levels, archive, protection and
    relations were updated.
    """

    kind: Literal["night_passed"] = "night_passed"
    date: date
    """Date of the night."""
    nights: int = Field(ge=0, le=100_000)
    """Number of days by which the memories age. 0 if the event continues an unfinished night."""
    recalled: tuple[UUID, ...] = ()
    """Memories that were reinforced because they had been recalled."""
    lowered: tuple[Lowered, ...] = ()
    """Memories that moved to a lower level of detail."""
    archived: tuple[UUID, ...] = ()
    """Ids of the archived memories."""
    revived: tuple[Revived, ...] = ()
    """Memories that were restored this night. An event that continues the night lists them again."""
    declined: tuple[UUID, ...] = ()
    """Archived memories that were requested but not restored, because there was no room. They may be requested again.
    An event that continues the night lists them again.
    """
    protected: tuple[UUID, ...] = ()
    """Memories that waited for protection and are protected from now on."""
    untied: tuple[Tie, ...] = ()
    """Removed relations."""
    tied: tuple[Tie, ...] = ()
    """Added relations."""
    compared: tuple[UUID, ...] = ()
    """New and changed memories that were compared with all others and need no further comparison."""
    deleted: tuple[UUID, ...] = ()
    """Ids of archived memories that are deleted. They are no longer retrieved and will be erased."""
    unfinished: bool = False
    """True if the work did not fit into this event. Another `night_passed` event continues the night."""


class CompressionDue(AgentEvent):
    """The text of a memory that moved to a lower level of detail must be compressed."""

    kind: Literal["compression_due"] = "compression_due"
    memory_id: UUID
    """Id of the memory."""
    level: Literal[2, 3]
    """New level of compression."""


class MemoryCompressed(AgentEvent):
    """A memory was compressed: to a summary at level 2, to keywords at level 3."""

    kind: Literal["memory_compressed"] = "memory_compressed"
    memory_id: UUID
    """Id of the memory."""
    level: Literal[2, 3]
    """New level of compression."""
    trigger: Summary
    """Compressed words of the user."""
    content: Summary
    """Compressed content."""
    compressed_by: Text
    """Model that wrote the compressed text; `extractive` if sentences and words of the memory were kept."""
    usage: Usage | None = None
    """Tokens used by the model; None without a model call."""
    vector: Text
    """Key of the vector of the compressed trigger and content."""


AffectEvent = (
    TurnRemembered
    | TurnWithdrawn
    | MemoriesRecalled
    | ContextShown
    | ProjectMerged
    | ProtectionChanged
    | MemoryRescoped
    | NightFell
    | NightPassed
    | CompressionDue
    | MemoryCompressed
)
"""Events of an agent with affective memory."""
