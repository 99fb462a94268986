"""What clients may say of tasks, and of memories by use."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, model_validator

from nemuri_contracts.event import ClientEvent, Identifier, Label, Text, Value

TEXT_LIMIT = 16_000
"""Characters of a task's own text; longer input travels as a document through the blob store."""

NegotiationOption = Literal["most_important", "all", "by_category"]


class Document(Value):
    """A large input of a task, kept in the blob store."""

    name: Label
    ref: str = Field(pattern=r"^[0-9a-f]{64}$")
    """The blob's name: the sha256 of its bytes, which are UTF-8 text with pages separated by form feeds."""
    characters: int = Field(ge=0, le=2**53)


class Scope(Value):
    """Where a memory is valid (document 003 §3.3)."""

    level: Literal["universal", "domain", "project"] = "universal"
    name: Label | None = None
    """The domain or the project; None exactly when the level is universal."""

    @model_validator(mode="after")
    def _named_unless_universal(self) -> "Scope":
        if (self.level == "universal") != (self.name is None):
            raise ValueError("a scope names its domain or project, and a universal one names nothing")
        return self


class Setting(Value):
    """Where a task takes place: which scopes are valid in it."""

    project: Label | None = None
    domains: tuple[Label, ...] = ()


class TaskSubmitted(ClientEvent):
    """A client wants something done; the event's id is the task's id."""

    kind: Literal["task_submitted"] = "task_submitted"
    text: Text = Field(min_length=1, max_length=TEXT_LIMIT)
    documents: tuple[Document, ...] = Field(default=(), max_length=64)
    summary: Text | None = Field(default=None, max_length=TEXT_LIMIT)
    """A summary that the client supplies is used as it is, of at most 1,000 tokens; a longer one is shortened."""
    wanted_agent: Identifier | None = None
    perspective: Label | None = None
    setting: Setting = Setting()
    conversation: Label | None = None
    """The client's own name for what this task continues; what was said before is part of what is asked."""
    panel: int | None = Field(default=None, ge=2, le=8)
    """Ask so many agents with different perspectives, and merge what they say with its dissent."""
    deep: bool = False
    """Ask the archive too, and not only when nothing active is relevant."""

    @property
    def thread(self) -> UUID:
        """The task that begins with this event."""
        return self.event_id


class NegotiationAnswered(ClientEvent):
    """The client chose how a task of too many items goes on."""

    kind: Literal["negotiation_answered"] = "negotiation_answered"
    correlation_id: UUID
    option: NegotiationOption
    items: tuple[Annotated[int, Field(ge=1, le=2**31)], ...] = Field(default=(), max_length=10)
    """The most important items, counted from 1, as the client sees it; without them the platform chooses."""

    @property
    def thread(self) -> UUID:
        """The task that it is said of."""
        return self.correlation_id

    @model_validator(mode="after")
    def _chosen_where_it_means_something(self) -> "NegotiationAnswered":
        if self.items and self.option != "most_important":
            raise ValueError("items are named with the option most_important only")
        return self


class FeedbackGiven(ClientEvent):
    """The client says what a task's answer was worth; at any time, even before there is one."""

    kind: Literal["feedback_given"] = "feedback_given"
    correlation_id: UUID
    verdict: Literal["helpful", "unhelpful"] | None = None
    result: Literal["success", "failure"] | None = None
    prevented_error: UUID | None = None
    """The memory that kept the client from an error."""

    @property
    def thread(self) -> UUID:
        """The task that it is said of."""
        return self.correlation_id

    @model_validator(mode="after")
    def _says_something(self) -> "FeedbackGiven":
        if self.verdict is None and self.result is None and self.prevented_error is None:
            raise ValueError("feedback says a verdict, a result or which memory prevented an error")
        return self


class MemoryContent(Value):
    """What is remembered, apart from how strongly."""

    content: Text = Field(min_length=1, max_length=TEXT_LIMIT)
    tags: tuple[Label, ...] = Field(default=(), max_length=32)
    learnings: dict[Label, Text] = Field(default_factory=dict, max_length=32)
    """What was learned, by perspective."""
    scope: Scope = Scope()
    said_by: Label | None = None
    said_at: datetime | None = None


class MemoryOffered(ClientEvent):
    """A client puts a memory into an agent's mind directly."""

    kind: Literal["memory_offered"] = "memory_offered"
    agent_id: Identifier
    memory: MemoryContent
