"""Events that clients publish about tasks and about strength memory."""

from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import Field, Strict, model_validator

from nemuri_contracts.event import ClientEvent, Identifier, Label, Moment, Options, Text, Value, Written

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


class Setting(Options):
    """The project, the domains and the person of a task. They decide which memories are valid for it."""

    project: Label | None = Field(default=None, title="Project")
    """Project. Memories that are valid in this project only are included."""
    domains: tuple[Label, ...] = Field(default=(), max_length=32, title="Domains, separated by commas")
    """Domains. Memories that are valid in one of these domains only are included."""
    person: Label | None = Field(default=None, title="Person")
    """Person for whom it is. Memories that belong to this person are included, and never those of another person."""


class InSetting(Setting):
    """A request that is made in a project, in domains and for a person."""

    @property
    def setting(self) -> Setting:
        """Return the project, the domains and the person."""
        return Setting(project=self.project, domains=self.domains, person=self.person)


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


class TaskOptions(InSetting):
    """The options of a task, beside its text and its documents."""

    summary: Written | None = Field(default=None, max_length=SUMMARY_LIMIT)
    """Summary of the documents, if the client has one. The platform then makes none. A summary of more than 1,000
    tokens is summarised again.
    """
    agent: Identifier | None = Field(default=None, title="Agent")
    """Agent that is to answer. By default, the orchestrator chooses."""
    perspective: Label | None = Field(default=None, title="Perspective")
    """Perspective of the task: one of the agent's points of view. The memories that the answer uses become stronger
    under this perspective.
    """
    conversation: Label | None = Field(default=None, title="Conversation it continues")
    """Name of a conversation, chosen by the client. The text may refer to earlier tasks of the same conversation."""
    panel: int | None = Field(default=None, ge=2, le=8, title="Panel of so many agents")
    """Number of agents to ask, under different perspectives. Their answers are merged, and their dissent is kept."""
    rebuttal: bool = Field(default=False, title="they read each other's answers once")
    """Let the members of the panel read each other's answers once, and revise theirs or stand by it, before the merge.
    It costs one more model call for each member. Without a language model all stand by their answers.
    """
    deep: bool = Field(default=False, title="search archived memories too")
    """Search the archived memories too. By default, they are searched only if no active memory is relevant."""
    budget_tokens: int | None = Field(default=None, ge=1, le=10**12, title="At most so many tokens")
    """Maximum number of tokens that language models may spend on the task. The rest is done without a language model,
    and the answer says so.
    """
    budget_money: float | None = Field(default=None, gt=0, le=1e9, title="At most this price")
    """The same in the currency of the operator's price list."""
    question_minutes: float | None = Field(
        default=None,
        ge=0,
        le=MAX_QUESTION_MINUTES,
        title="Minutes to wait for my answers (0: ask nothing back)",
    )
    """Minutes that the agent waits for the answer if it asks a question about the task; 0 forbids questions. By
    default, the platform's setting.
    """

    @model_validator(mode="after")
    def _rebuts_in_a_panel(self) -> Self:
        if self.rebuttal and self.panel is None:
            raise ValueError("a rebuttal needs a panel")
        return self

    @property
    def budget(self) -> Budget | None:
        """Return the most that language models may spend on the task; None for no limit."""
        tokens, money = self.budget_tokens, self.budget_money
        return None if tokens is None and money is None else Budget(tokens=tokens, money=money)


class TaskSubmitted(TaskOptions, ClientEvent):
    """A client submitted a task. The event's id is the task's id."""

    names_task = True
    kind: Literal["task_submitted"] = "task_submitted"
    text: Text = Field(min_length=1, max_length=TEXT_LIMIT)
    """Text of the request."""
    documents: tuple[Document, ...] = Field(default=(), max_length=64)
    """Documents of the task, by reference."""
    streamed: bool = False
    """True if the client shows the answer while a model writes it. The drafts are sent to it and not stored."""

    @property
    def thread(self) -> UUID:
        """Return the id of the task that this event creates."""
        return self.event_id


class OptionChoice(Options):
    """The choice of a client whose task has too many items, or fits no agent."""

    option: NegotiationOption
    """One of the task's options."""
    items: tuple[Annotated[int, Field(ge=1, le=2**31)], ...] = Field(default=(), max_length=10)
    """With `most_important`, the numbers of items to keep, counted from 1. By default, the platform chooses."""

    @model_validator(mode="after")
    def _chosen_where_it_means_something(self) -> Self:
        if self.items and self.option != "most_important":
            raise ValueError("items are only allowed with the option most_important")
        return self


class NegotiationAnswered(OptionChoice, ClientEvent):
    """The client chose an option of a task's negotiation."""

    names_task = True
    kind: Literal["negotiation_answered"] = "negotiation_answered"
    correlation_id: UUID

    @property
    def agent(self) -> str | None:
        """Return the id of the chosen agent; None for any other option."""
        return self.option.removeprefix(AGENT_OPTION) if self.option.startswith(AGENT_OPTION) else None

    @property
    def thread(self) -> UUID:
        """Return the id of the task that the choice belongs to."""
        return self.correlation_id


class FeedbackOptions(Options):
    """A judgement of a task's answer. It needs a verdict, a result, a prevented error or a correction."""

    verdict: Literal["helpful", "unhelpful"] | None = None
    """The quality of the answer."""
    result: Literal["success", "failure"] | None = None
    """Outcome of the client's own work with the answer."""
    prevented_error: UUID | None = None
    """Id of the memory that prevented an error, if one did."""
    words: Written | None = Field(default=None, max_length=FEEDBACK_LIMIT)
    """Words about the answer. They need a verdict or a result. About an answer that failed, they become a
    memory of the agents that answered.
    """
    correction: Written | None = Field(default=None, max_length=FEEDBACK_LIMIT)
    """The answer that was expected. It becomes a memory, to which memories that led to the answer and contradict
    it yield. Without verdict and result, the answer counts as unhelpful.
    """


class FeedbackGiven(FeedbackOptions, ClientEvent):
    """The client rated a task. Feedback is accepted at any time, even before the answer."""

    names_task = True
    kind: Literal["feedback_given"] = "feedback_given"
    correlation_id: UUID

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


MemoryKind = Literal["fact", "preference", "plan", "event", "instruction"]
"""What a memory is about: how things are, what somebody likes or wants, what somebody intends, what happened, or how
somebody wants to be served.
"""
MetadataValue = Annotated[Label, Strict()] | Annotated[float, Strict(), Field(ge=-1e15, le=1e15)] | tuple[Label, ...]
"""A value of a client's own: a word, a number, or a list of words."""


class MemoryContent(Options):
    """Content of a memory, without its strength."""

    content: Text = Field(min_length=1, max_length=TEXT_LIMIT)
    """Text of the memory."""
    tags: tuple[Label, ...] = Field(default=(), max_length=32)
    """Tags of the memory."""
    learnings: dict[Label, Text] = Field(default_factory=dict, max_length=32)
    """Lessons of the memory, by perspective of the agent."""
    scope: Scope = Scope.of_defaults()
    """Domain or project in which the memory is valid. By default, it is valid everywhere."""
    said_by: Label | None = None
    """Name of the source."""
    said_at: Moment | None = None
    """Time at which the source said it."""
    turn: Turn | None = None
    """Conversation in which it was said, and its place there. Memories of the same conversation help each other to be
    found.
    """
    kind: MemoryKind | None = None
    """What it is about: how things are, what somebody likes or wants, what somebody intends, what happened, or how
    somebody wants to be served.
    """
    subject: Label | None = None
    """Who or what it is about, by name. Only memories about the same subject can be judged to replace each other."""
    person: Label | None = None
    """Person to whom it belongs. It is found only by requests for this person."""
    valid_from: Moment | None = None
    """Time from which it holds, if it did not hold always."""
    until: Moment | None = None
    """Time until which it holds."""
    expires_at: Moment | None = None
    """Time from which it is of no use to anybody any more, and is found only by requests for the past."""
    certainty: float | None = Field(default=None, ge=0, le=1)
    """How sure it is, 0 to 1."""
    metadata: dict[Label, MetadataValue] = Field(default_factory=dict, max_length=32)
    """Properties of the client's own: words, numbers and lists of words, by name."""

    @model_validator(mode="after")
    def _holds_for_some_time(self) -> Self:
        if self.valid_from is not None and self.until is not None and self.valid_from > self.until:
            raise ValueError("it cannot hold from a time after the one until which it holds")
        return self


class MemoryFilter(Options):
    """Conditions for memories. A memory must meet all of them."""

    kinds: tuple[MemoryKind, ...] = Field(default=(), max_length=5)
    """Only memories of these kinds: `fact`, `preference`, `plan`, `event` or `instruction`."""
    tags: tuple[Label, ...] = Field(default=(), max_length=32)
    """Only memories with all of these tags."""
    subject: Label | None = None
    """Only memories about this subject."""
    source: Identifier | None = None
    """Only memories from this kind of source, such as `task`, `manual` or `conversation`."""
    since: Moment | None = None
    """Only what held or happened at this time or later; of a memory that does not say, what was told since."""
    until: Moment | None = None
    """Only what held or happened before this time; of a memory that does not say, what was told before."""
    metadata: dict[Label, MetadataValue] = Field(default_factory=dict, max_length=32)
    """Only memories with these properties. A list of words has each of the words in it."""


class Correction(Options):
    """New words of a memory."""

    content: Written = Field(max_length=TEXT_LIMIT)
    """The corrected text."""
    perspective: Label | None = None
    """Perspective of the learning to correct. By default, the content is corrected, and the learnings are dropped."""


class MemoryOffered(ClientEvent):
    """A client offered a memory to an agent directly, without a task."""

    kind: Literal["memory_offered"] = "memory_offered"
    agent_id: Identifier
    memory: MemoryContent
    """Content of the memory."""
    replaces: UUID | None = None
    """Id of the agent's memory that this one corrects and supersedes; None for a new memory."""


MemoryChange = Literal["pin", "unpin", "rescope", "confirm", "unrelate"]
"""A change of a memory's standing by a person: `pin` keeps it from being archived until `unpin`, `rescope` gives it
another scope, `confirm` says that an inference is true, and `unrelate` takes its relation to an older one back.
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
    older: UUID | None = None
    """Id of the older memory for `unrelate`. Any other change ignores it."""

    @model_validator(mode="after")
    def _has_what_its_change_needs(self) -> "MemoryChangeRequested":
        if (self.change == "rescope") != (self.scope is not None):
            raise ValueError("give a scope with the change 'rescope', and only with it")
        if self.change == "unrelate" and self.older is None:
            raise ValueError("give an older memory with the change 'unrelate'")
        return self
