"""Events that clients publish about tasks and about strength memory."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, model_validator

from nemuri_contracts.event import ClientEvent, Identifier, Label, Moment, Text, Value

TEXT_LIMIT = 16_000
"""Maximum length of a task's text, in characters. Longer input is uploaded as a document to the blob store."""

SUMMARY_LIMIT = 100_000
"""Maximum length of a supplied summary, in characters."""

FEEDBACK_LIMIT = 4_000
"""Maximum length of the words and of the correction of feedback, in characters."""

MAX_QUESTION_MINUTES = 10_080
"""Maximum number of minutes that an agent waits for the answer to its question: a week."""

GroupOption = Literal["most_important", "all", "by_category"]
"""The ways to answer some or all of many items, a group of them at a time."""
ItemOption = GroupOption | Literal["as_one"]
"""The ways to continue a task with too many items."""
AGENT_OPTION = "agent:"
"""Beginning of the option that gives a task to an agent; the agent's id follows."""
AgentOption = Annotated[str, Field(pattern=rf"^{AGENT_OPTION}.{{1,64}}$")]
NegotiationOption = ItemOption | AgentOption
"""An option of a negotiation. An agent is chosen for a task that fits no agent."""


class Document(Value):
    """A document of a task. Its text is stored in the blob store."""

    name: Label
    ref: str = Field(pattern=r"^[0-9a-f]{64}$")
    """Name of the blob: the SHA-256 of its bytes. The bytes are UTF-8 text; form feeds separate the pages."""
    characters: int = Field(ge=0, le=2**53)


class Scope(Value):
    """The scope in which a memory is valid (document 003 §3.3)."""

    level: Literal["universal", "domain", "project"] = "universal"
    name: Label | None = None
    """Name of the domain or project. None if and only if the level is universal."""

    @model_validator(mode="after")
    def _named_unless_universal(self) -> "Scope":
        if (self.level == "universal") != (self.name is None):
            raise ValueError("a scope needs the name of its domain or project; a universal scope has none")
        return self


class Setting(Value):
    """The project and domains of a task. They decide which memory scopes are valid for it."""

    project: Label | None = None
    domains: tuple[Label, ...] = ()


class Budget(Value):
    """The most that language models may spend."""

    tokens: int | None = Field(default=None, ge=1, le=10**12)
    """Maximum number of tokens, those of prompts and replies together; None for no limit."""
    money: float | None = Field(default=None, gt=0, le=1e9)
    """Maximum price in the currency of the operator's price list; None for no limit."""

    @model_validator(mode="after")
    def _limits_something(self) -> "Budget":
        if self.tokens is None and self.money is None:
            raise ValueError("a budget needs a number of tokens or an amount of money")
        return self


class TaskSubmitted(ClientEvent):
    """A client submitted a task. The event's id is the task's id."""

    names_task = True
    kind: Literal["task_submitted"] = "task_submitted"
    text: Text = Field(min_length=1, max_length=TEXT_LIMIT)
    """Text of the request."""
    documents: tuple[Document, ...] = Field(default=(), max_length=64)
    """Documents of the task, by reference."""
    summary: Text | None = Field(default=None, max_length=SUMMARY_LIMIT)
    """Summary supplied by the client. It is used as it is if it has at most 1,000 tokens, else summarised again."""
    wanted_agent: Identifier | None = None
    """Agent that the client asks for; None to let the orchestrator choose."""
    perspective: Label | None = None
    """Perspective under which the task is answered; None to choose none."""
    setting: Setting = Setting()
    """Project and domains in which the task takes place."""
    conversation: Label | None = None
    """The client's name for a conversation. If a request follows answered turns of its conversation, a model rewrites
    it so that it can be understood without them.
    """
    panel: int | None = Field(default=None, ge=2, le=8)
    """Number of panel members; None for no panel. The members answer under different perspectives. Their answers are
    merged, and their dissent is kept.
    """
    rebuttal: bool = False
    """True if the panel members read each other's answers once, and revise theirs or stand by it, before the merge."""
    deep: bool = False
    """True to search the archive together with the active memories. Otherwise it is searched only if no active memory
    is relevant.
    """
    question_minutes: float | None = Field(default=None, ge=0, le=MAX_QUESTION_MINUTES)
    """Minutes that an agent waits for the answer if it asks a question about the task. 0 forbids questions; None stands
    for the platform's setting.
    """
    streamed: bool = False
    """True if the client shows the answer while a model writes it. The drafts are sent to it and not stored."""
    budget: Budget | None = None
    """The most that language models may spend on the task; None for no limit. When it is used up, the rest of the task
    is done without a language model.
    """

    @model_validator(mode="after")
    def _rebuts_in_a_panel(self) -> "TaskSubmitted":
        if self.rebuttal and self.panel is None:
            raise ValueError("a rebuttal needs a panel")
        return self

    @property
    def thread(self) -> UUID:
        """Return the id of the task that this event creates."""
        return self.event_id


class NegotiationAnswered(ClientEvent):
    """The client chose an option of a task's negotiation."""

    names_task = True
    kind: Literal["negotiation_answered"] = "negotiation_answered"
    correlation_id: UUID
    option: NegotiationOption
    """Chosen option."""
    items: tuple[Annotated[int, Field(ge=1, le=2**31)], ...] = Field(default=(), max_length=10)
    """Numbers, from 1, of the items that are most important to the client. If empty, the platform chooses."""

    @property
    def agent(self) -> str | None:
        """Return the id of the chosen agent; None for any other option."""
        return self.option.removeprefix(AGENT_OPTION) if self.option.startswith(AGENT_OPTION) else None

    @property
    def thread(self) -> UUID:
        """Return the id of the task that the choice belongs to."""
        return self.correlation_id

    @model_validator(mode="after")
    def _chosen_where_it_means_something(self) -> "NegotiationAnswered":
        if self.items and self.option != "most_important":
            raise ValueError("items are only allowed with the option most_important")
        return self


class FeedbackGiven(ClientEvent):
    """The client rated a task. Feedback is accepted at any time, even before the answer."""

    names_task = True
    kind: Literal["feedback_given"] = "feedback_given"
    correlation_id: UUID
    verdict: Literal["helpful", "unhelpful"] | None = None
    """The client's verdict; None if it gave none."""
    result: Literal["success", "failure"] | None = None
    """Result of the task; None if the client gave none."""
    prevented_error: UUID | None = None
    """Id of the memory that prevented an error."""
    words: Text | None = Field(default=None, min_length=1, max_length=FEEDBACK_LIMIT)
    """The client's words about the answer; None if it said nothing."""
    correction: Text | None = Field(default=None, min_length=1, max_length=FEEDBACK_LIMIT)
    """The right answer, by the client. It becomes a memory to which the memories that it contradicts yield."""

    @property
    def thread(self) -> UUID:
        """Return the id of the task that the feedback belongs to."""
        return self.correlation_id

    @model_validator(mode="after")
    def _says_something(self) -> "FeedbackGiven":
        if self.correction is not None and (self.verdict == "helpful" or self.result == "success"):
            raise ValueError("a correction is for an answer that was wrong, not for one that was helpful or a success")
        if self.verdict is None and self.result is None:
            if self.words is not None or self.correction is not None:
                raise ValueError("words and a correction need a verdict or a result")
            if self.prevented_error is None:
                raise ValueError("give at least one of verdict, result and prevented_error")
        return self


class Turn(Value):
    """Place of a memory in a conversation, or in another text that was divided into memories."""

    conversation: Label
    """Name of the conversation, for example the id of a session. Each client has conversations of its own."""
    position: int | None = Field(default=None, ge=0, lt=2**31)
    """Place among the memories of the conversation, in any steps; None if it is unknown. Memories at neighbouring
    places help each other to be found.
    """


class MemoryContent(Value):
    """Content of a memory, without its strength."""

    content: Text = Field(min_length=1, max_length=TEXT_LIMIT)
    tags: tuple[Label, ...] = Field(default=(), max_length=32)
    learnings: dict[Label, Text] = Field(default_factory=dict, max_length=32)
    """Texts that were learned, by perspective."""
    scope: Scope = Scope()
    said_by: Label | None = None
    said_at: Moment | None = None
    turn: Turn | None = None
    """Where it was said; None if it stands alone."""


class MemoryOffered(ClientEvent):
    """A client offered a memory to an agent directly, without a task."""

    kind: Literal["memory_offered"] = "memory_offered"
    agent_id: Identifier
    memory: MemoryContent
    """Content of the memory."""
    replaces: UUID | None = None
    """Id of the agent's memory that this one corrects and supersedes; None for a new memory."""


MemoryChange = Literal["pin", "unpin", "rescope", "confirm"]
"""A change of a memory's standing by a person: `pin` keeps it from being archived until `unpin`, `rescope` gives it
another scope, and `confirm` says that an inference is true.
"""


class MemoryChangeRequested(ClientEvent):
    """A client asked to change the standing of an agent's memory. Its text stays; see `MemoryOffered` for a new one."""

    kind: Literal["memory_change_requested"] = "memory_change_requested"
    agent_id: Identifier
    memory_id: UUID
    """Id of the memory."""
    change: MemoryChange
    """The change."""
    scope: Scope | None = None
    """New scope for `rescope`; None for any other change."""

    @model_validator(mode="after")
    def _scope_belongs_to_rescope(self) -> "MemoryChangeRequested":
        if (self.change == "rescope") != (self.scope is not None):
            raise ValueError("give a scope with the change 'rescope', and only with it")
        return self
