"""Queries to the query API. They are request and reply messages, which the log does not store."""

from typing import Annotated, ClassVar, Literal
from uuid import UUID, uuid4

from pydantic import Field, StringConstraints, model_validator

from nemuri_contracts.abbreviated_id import Beginning, Named
from nemuri_contracts.affective import TURN_LIMIT, Category
from nemuri_contracts.affective_views import (
    AffectBriefView,
    AffectMemoryView,
    AffectPageView,
    AffectRecallView,
    AffectView,
    TurnView,
)
from nemuri_contracts.client_events import TEXT_LIMIT, InSetting, MemoryFilter
from nemuri_contracts.colleague_views import HandoverView
from nemuri_contracts.colleagues import HandoverWish
from nemuri_contracts.conversation_views import ConversationView
from nemuri_contracts.education_views import CoursesView, DueView
from nemuri_contracts.event import WITH_WORDS, Identifier, Label, Moment, Options, Text, Value, Written
from nemuri_contracts.explanation_views import RoutingView, WhyView
from nemuri_contracts.health_views import HealthView
from nemuri_contracts.journal_views import JournalView
from nemuri_contracts.memory_views import (
    AgentsView,
    EventView,
    IdView,
    KeywordsView,
    MemoriesView,
    MemoryPlace,
    MemoryView,
    MemoView,
    ProfileView,
    RecallView,
    RememberedView,
    RetriedView,
    StatusView,
)
from nemuri_contracts.scorers import ScorerView
from nemuri_contracts.task_list_views import TaskPlace, TasksView
from nemuri_contracts.task_views import FeedbackStanding, TaskResult
from nemuri_contracts.tiered import Layer, Module, Second
from nemuri_contracts.tiered_views import TierMemoryView, TiersRecallView, TiersView
from nemuri_contracts.webhooks import WebhookTestView

MEMORIES_AT_ONCE = 300
"""Maximum number of memories in one reply."""
TASKS_AT_ONCE = 200
"""Maximum number of tasks in one reply."""
SearchedText = Annotated[
    Text,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
    Field(json_schema_extra={"pattern": WITH_WORDS}),
]
"""Words to search for."""


class Query(Value):
    """Base class of queries. The service answers when the projections contain all events up to sequence `after`."""

    name: ClassVar[str]
    patience: ClassVar[float] = 20.0
    """Seconds that a client waits for the answer."""
    after: int = Field(default=0, ge=0)

    @property
    def topic(self) -> str:
        """Return the last part of the subject on which the query is sent."""
        return self.name


class Command(Query):
    """Base class of requests that may append events. They are answered at once, as queries are.

    The ids of the events are derived, so that a repeated command appends nothing new. Commands are refused while the
    log is incomplete, because an import or a restore is not finished.
    """


class Refusal(Value):
    """The reason why a query was refused, in one line."""

    refused: Text
    passing: bool = False
    """True if the same query may succeed a little later."""
    missing: bool = False
    """True if what the query names does not exist, or was erased."""


class TaskQuery(Query):
    """Query for the state of a task. Answered with a `TaskResult`; refused for an unknown task."""

    name = "task"
    task_id: UUID


class FeedbackQuery(Query):
    """Query for the outcome of feedback. Answered when the outcome is decided, at the latest after a few seconds.

    Refused for an unknown id.
    """

    name = "feedback"
    task_id: UUID
    feedback_id: UUID


class IdQuery(Query):
    """Query for the complete id of the task, memory or course whose id begins with `beginning`.

    Refused if no id or several ids match.
    """

    name = "id"
    of: Named
    beginning: Beginning


class EventQuery(Query):
    """Query for the first event with an id. Answered with the event's sequence and digest, which are None for an
    unknown id.

    Refused if the event was erased.
    """

    name = "event"
    event_id: UUID


class AgentsQuery(Query):
    """Query for one agent or for all agents. Refused for an unknown agent."""

    name = "agents"
    agent_id: Identifier | None = None
    orchestrator: bool = False
    """True to include the orchestrator's routing memory."""
    organisation: bool = False
    """True to include the organisation, which holds the principles of all agents."""


class TaskListOptions(Options):
    """The conditions for the tasks to list. All must be met."""

    status: Literal["open", "negotiation", "clarification", "done", "failed", "waiting"] | None = None
    """Status of the tasks; `waiting` stands for `negotiation` and `clarification`."""
    agent: Identifier | None = None
    """Id of an agent to which the tasks were assigned."""
    client: Identifier | None = None
    """Name of the client that submitted the tasks."""
    containing: SearchedText | None = None
    """Words that the texts of the tasks contain, in any order, in upper or lower case."""
    limit: int = Field(default=50, ge=1, le=TASKS_AT_ONCE)
    """Maximum number of tasks."""


class TasksQuery(TaskListOptions, Query):
    """Query for a page of tasks, the ones submitted last first; ties are broken by id."""

    name = "tasks"
    following: TaskPlace | None = None
    """`following` of the page before; None for the first page."""


class JournalQuery(Options, Query):
    """Query for the positions of events in the log, by their task, their agent or their ids.

    Erased events, repeated ones and those that were parked are left out.
    """

    name = "journal"
    task_id: UUID | None = None
    """Id of the task."""
    agent: Identifier | None = None
    """Id of the agent."""
    event_ids: tuple[UUID, ...] = Field(default=(), max_length=500)
    """Ids of events."""
    kinds: tuple[Identifier, ...] = Field(default=(), max_length=100)
    """Kinds of the events; empty for all kinds."""
    caused_by: UUID | None = None
    """Only events that the event with this id caused."""
    before: int | None = Field(default=None, ge=1, le=2**53)
    """Only events with a lower sequence."""
    beyond: int = Field(default=0, ge=0, le=2**53)
    """Only events with a higher sequence."""
    oldest_first: bool = False
    """Return the oldest events first instead of the newest."""
    limit: int = Field(default=100, ge=1, le=500)
    """Maximum number of entries."""

    @model_validator(mode="after")
    def _names_something(self) -> "JournalQuery":
        if self.task_id is None and self.agent is None and not self.event_ids:
            raise ValueError("give a task, an agent or ids of events")
        return self


class MemoryConditions(MemoryFilter):
    """The conditions for the memories to list, and their order. All conditions must be met."""

    status: Literal["active", "archived", "absorbed", "all"] = "active"
    """Status of the memories; those that are part of semantic memories are `absorbed`."""
    order: Literal["strongest", "newest"] = "strongest"
    """Order of the list. Ties are broken by id."""
    containing: SearchedText | None = None
    """Words that the memories or their learnings contain, in any order, in upper or lower case."""
    perspective: Label | None = None
    """Perspective under which they have learnings or a strength of their own."""
    person: Label | None = None
    """Only memories that belong to this person."""


class MemoryListOptions(MemoryConditions):
    """The conditions for a page of the memories to list, and their order. All conditions must be met."""

    limit: int = Field(default=100, ge=1, le=MEMORIES_AT_ONCE)
    """Maximum number of memories."""


class MemoriesQuery(MemoryListOptions, Query):
    """Query for a page of an agent's memories. The conditions are combined: a memory must meet all of them.

    A page with conditions may hold fewer memories than `limit` although there are more, because one query reads a
    limited number of memories.
    """

    name = "memories"
    agent_id: Identifier
    following: MemoryPlace | None = None
    """`following` of the page before; None for the first page."""


class MemoryQuery(Query):
    """Query for one memory. Refused for an unknown id."""

    name = "memory"
    memory_id: UUID


class RememberedQuery(Query):
    """Query for the outcome of offered memories. Answered when all are decided, at the latest after a few seconds."""

    name = "remembered"
    agent_id: Identifier
    offers: tuple[UUID, ...] = Field(max_length=1_000)
    """Ids of `memory_offered` events."""
    offered_at: int = Field(default=0, ge=0)
    """Sequence of the first of them in the log; 0 if that is not known."""


class ConversationQuery(Query):
    """Query for what is known of a client's conversation with an agent.

    With `stretches`, it is answered when their facts are memories, at the latest after a few seconds.
    """

    name = "conversation"
    agent_id: Identifier
    client_id: Identifier
    conversation: Label
    person: Label | None = None
    stretches: tuple[UUID, ...] = Field(default=(), max_length=1_000)
    """Ids of `turns_said` events whose facts are wanted."""


class RecallOptions(InSetting, MemoryFilter):
    """A search in the memories of an agent."""

    query: Written = Field(max_length=TEXT_LIMIT)
    """Text to search for."""
    top: int = Field(default=10, ge=1, le=50)
    """Maximum number of memories."""
    perspective: Label | None = None
    """Perspective of the agent to search under. By default, all of them."""
    deep: bool = False
    """Search the archived memories too. By default, they are searched only if no active memory is relevant."""
    at: Moment | None = None
    """Only what held at this time, as it is known now. By default, everything that has not expired."""


class RecallQuery(RecallOptions, Query):
    """Query for the memories that a specialist would get for a query. It uses the retrieval of tasks and records no
    event.
    """

    name = "recall"
    agent_id: Identifier


class HandoverPlanQuery(Query):
    """Query for the memories that one agent would pass on to another. No event is recorded.

    Refused if one of the agents is unknown or has no strength memory, or if the task of the wish is unknown.
    """

    name = "handover-plan"
    patience = 60.0
    agent_id: Identifier
    """Agent that would receive the memories."""
    wish: HandoverWish


class HandoverQuery(Query):
    """Query for the outcome of a requested handover. Answered when the memories can be recalled, at the latest after a
    few seconds.
    """

    name = "handover"
    agent_id: Identifier
    request_id: UUID
    """Id of the `handover_requested` event."""


class ScorerQuery(Query):
    """Query for the state of an agent's learned scorer. Refused for an unknown agent."""

    name = "scorer"
    agent_id: Identifier


class CoursesQuery(Query):
    """Query for an agent's courses. With `course_id`, the answer has that course alone, with its exercises."""

    name = "courses"
    agent_id: Identifier
    course_id: UUID | None = None


class DueQuery(Query):
    """Query for the number of exercises that are due at `until`, a time of the platform's clock, and not posed as tasks
    yet.
    """

    name = "due"
    until: Moment


class WhyQuery(Query):
    """Query for the explanation of one retrieval of a task. Refused for an unknown task."""

    name = "why"
    task_id: UUID
    number: int = Field(default=0, ge=0)
    """Index of the retrieval, from 0 in log order. Each assignment has one."""


class RoutingQuery(Query):
    """Query for the explanation of a task's routing. Refused for an unknown task."""

    name = "routing"
    task_id: UUID


class AffectQuery(Query):
    """Query for the state of an affective memory. Refused for an agent without one."""

    name = "affect"
    agent_id: Identifier


class AffectMemoryQuery(Query):
    """Query for an affective memory by its label or id prefix. Refused if no memory or several memories match."""

    name = "affect-memory"
    agent_id: Identifier
    memory: Label


class AffectListQuery(Options, Query):
    """Query for a page of affective memories, newest first. Refused for an agent without affective memory."""

    name = "affect-list"
    agent_id: Identifier
    project: Label | None = None
    """Only memories of this project."""
    containing: Label | None = None
    """Only memories that contain every word of this text, then those that are about the same."""
    archived: bool = False
    """The memories in the archive instead of the active ones."""
    protected: bool = False
    """Only protected memories."""
    older_than: UUID | None = None
    """`older` of the page before; None for the first page."""
    limit: int = Field(default=50, ge=1, le=500)
    """Maximum number of memories."""


class BlockQuery(Query):
    """Base class of queries for a text block that an assistant reads. What stands here is known to its hooks only."""

    program: str = Field(default="nemuri", min_length=1, max_length=1_000)
    """Command that runs the program where the block is read. The block names it."""
    tool: Label | None = None
    """Tool that reads memories by their labels where the block is read; None if there is none."""


class RecordedCommand(Command):
    """Base class of commands that record what they show."""

    request: UUID = Field(default_factory=uuid4)
    """Id that the client gives to this request. The ids of the events derive from it."""


class BlockCommand(RecordedCommand):
    """Base class of commands that record what an assistant was shown."""

    within: float | None = Field(default=None, gt=0, le=86_400)
    """Seconds until the client gives up. If the answer takes longer, nothing is recorded."""


class AffectBriefQuery(Options, BlockQuery):
    """Query for the most important affective memories of a project, at the start of an assistant's session."""

    name = "affect-brief"
    agent_id: Identifier
    project: Label | None = None
    """Project of the session. Without it, only memories that matter in every project are returned."""


class ShowBrief(AffectBriefQuery, BlockCommand):
    """Show the most important affective memories of a project, and record that they were shown."""

    name = "show-brief"
    session: Label | None = None
    """Name of the session."""


class AffectTurnQuery(Query):
    """Query for the full text of an affective memory's turn. Refused unless the memory is at level 1."""

    name = "affect-turn"
    agent_id: Identifier
    memory: Label


class AffectRecallQuery(Options, BlockQuery):
    """Query for the affective memories that match a prompt."""

    name = "affect-recall"
    agent_id: Identifier
    prompt: Text = Field(min_length=1, max_length=TURN_LIMIT)
    session: Label | None = None
    """Name of the session. The mood of the memories that were recalled last in this session influences the ranking."""
    project: Label | None = None
    """Project whose memories are retrieved, with memories about the user and those outside of every project. Without
    it, the memories of all projects are retrieved.
    """
    category: Category | None = None
    """Category that is ranked first among equally relevant memories."""
    context: Annotated[tuple[UUID, ...], Field(max_length=1_000)] = ()
    """Ids of memories and of turns that the assistant has in its context already. These memories are left out; others
    take the places of the turns only, so that a repeated prompt does not bring up what is less and less relevant.
    """


class ShowMemories(AffectRecallQuery, BlockCommand):
    """Show the affective memories that match a prompt, and record that they were recalled and shown."""

    name = "show-memories"


class TiersQuery(Query):
    """Query for the state of a tiered memory. Refused for an agent without one."""

    name = "tiers"
    agent_id: Identifier


class TiersMemoryQuery(Query):
    """Query for a tiered memory by id prefix. Refused if no memory or several memories match."""

    name = "tiers-memory"
    agent_id: Identifier
    beginning: Beginning


class TiersRecallQuery(Options, Query):
    """Query for the tiered memories that match a text."""

    name = "tiers-recall"
    agent_id: Identifier
    query: Text = Field(min_length=1, max_length=TEXT_LIMIT)
    module: Module = "default"
    """Module of the agent that asks. It determines the layers, the weights and the number of memories."""
    layers: tuple[Layer, ...] = ()
    """Layers to search, among those that the module searches; empty for all of them."""
    top: int | None = Field(default=None, ge=1, le=100)
    """Maximum number of memories. By default, that of the module."""
    shared: bool = False
    """Also search the memories that other agents share with this agent."""
    second: Second | None = None
    """Current time in seconds of the simulation's clock. By default, the time of the log."""


class AccessMemories(TiersRecallQuery, RecordedCommand):
    """Retrieve the tiered memories that match a text, and record the access to the agent's own."""

    name = "access-memories"


class StatusQuery(Query):
    """Query for the state of the projections."""

    name = "status"


class RetryEvent(Command):
    """Request to handle a dead-lettered event again. Answered when the event is handled; refused with the error
    otherwise.
    """

    name = "retry"
    patience = 180.0
    service: Identifier
    sequence: int = Field(ge=1)

    @property
    def topic(self) -> str:
        """Return the topic `retry.SERVICE`, which only that service answers."""
        return f"{self.name}.{self.service}"


class HealthQuery(Query):
    """Query for the memory health of one agent or of all. Refused for an unknown agent."""

    name = "health"
    agent_id: Identifier | None = None


class MemoQuery(InSetting, Query):
    """Query for an agent's memo, the table of contents that it gets with its tasks. Refused for an unknown agent."""

    name = "memo"
    agent_id: Identifier


class ProfileOptions(Options):
    """The size of a person's profile."""

    tokens: int = Field(default=1_000, ge=50, le=50_000)
    """Maximum length in tokens, by an estimate."""


class ProfileQuery(ProfileOptions, Query):
    """Query for what an agent knows of a person now."""

    name = "profile"
    agent_id: Identifier
    person: Label


class KeywordsQuery(Query):
    """Query for keywords that the memories of an agent suggest for its perspectives.

    Refused for an unknown agent, and for one without strength memory.
    """

    name = "keywords"
    agent_id: Identifier


class WebhookTestQuery(Query):
    """Request to send a test message to the receiver of a webhook. Refused for an unknown id."""

    name = "webhook-test"
    patience = 130.0
    webhook_id: UUID


Answer = (
    TaskResult
    | FeedbackStanding
    | EventView
    | IdView
    | AgentsView
    | TasksView
    | JournalView
    | MemoriesView
    | MemoryView
    | RememberedView
    | ConversationView
    | RecallView
    | HandoverView
    | CoursesView
    | DueView
    | WhyView
    | RoutingView
    | StatusView
    | AffectView
    | AffectMemoryView
    | AffectBriefView
    | AffectPageView
    | AffectRecallView
    | TurnView
    | TiersView
    | TierMemoryView
    | TiersRecallView
    | ScorerView
    | HealthView
    | MemoView
    | ProfileView
    | KeywordsView
    | RetriedView
    | WebhookTestView
)
