"""Questions to the views, asked over the bus; nothing of them is recorded."""

from datetime import datetime
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.affective import TURN_LIMIT, Category
from nemuri_contracts.affective_views import AffectMemoryView, AffectRecallView, AffectView, TurnView
from nemuri_contracts.client_events import Setting
from nemuri_contracts.education_views import CoursesView, DueView
from nemuri_contracts.event import Identifier, Label, Text, Value
from nemuri_contracts.explanation_views import RoutingView, WhyView
from nemuri_contracts.health_views import HealthView
from nemuri_contracts.id_prefix import Beginning, Named
from nemuri_contracts.memory_views import (
    AgentsView,
    EventView,
    IdView,
    MemoriesView,
    MemoryView,
    MemoView,
    RecallView,
    RememberedView,
    RetriedView,
    StatusView,
)
from nemuri_contracts.scorers import ScorerView
from nemuri_contracts.task_views import FeedbackStanding, TaskResult
from nemuri_contracts.tiered import Layer, Module, Second
from nemuri_contracts.tiered_views import TierMemoryView, TiersRecallView, TiersView

MEMORIES_AT_ONCE = 300
"""At most so many memories are in one reply."""


class Query(Value):
    """A question; the answer reflects at least the log up to `after`."""

    name: ClassVar[str]
    patience: ClassVar[float] = 20.0
    """Seconds that the answer may take."""
    after: int = Field(default=0, ge=0)

    @property
    def topic(self) -> str:
        """Where it is asked."""
        return self.name


class Refusal(Value):
    """Why a question has no answer, in one line for people."""

    refused: Text
    passing: bool = False
    """Whether the same question may well be answered a little later."""


class TaskQuery(Query):
    """How does this task stand? Answered by a `TaskResult`, refused for an unknown task."""

    name = "task"
    task_id: UUID


class FeedbackQuery(Query):
    """What became of this feedback? Answered as soon as that is decided, or after a while; refused if there is none."""

    name = "feedback"
    task_id: UUID
    feedback_id: UUID


class IdQuery(Query):
    """Which task, memory or course has an id that begins so? Refused where there is none, or more than one."""

    name = "id"
    of: Named
    beginning: Beginning


class EventQuery(Query):
    """Which event counts under this id? Answered by its digest; refused where it was erased."""

    name = "event"
    event_id: UUID


class AgentsQuery(Query):
    """Which agents are there? All that can be asked, or one; refused for an unknown one."""

    name = "agents"
    agent_id: Identifier | None = None
    orchestrator: bool = False
    """Whether the orchestrator's own mind is listed too."""


class MemoriesQuery(Query):
    """What does an agent remember? A page of it: strongest first, by id where they are equally strong."""

    name = "memories"
    agent_id: Identifier
    status: Literal["active", "archived", "all"] = "active"
    offset: int = Field(default=0, ge=0)
    """How many of the strongest are passed over."""
    limit: int = Field(default=MEMORIES_AT_ONCE, ge=1, le=MEMORIES_AT_ONCE)


class MemoryQuery(Query):
    """One memory; refused when there is none of that id."""

    name = "memory"
    memory_id: UUID


class RememberedQuery(Query):
    """What became of these offers? Answered as soon as all are decided, or after a while."""

    name = "remembered"
    agent_id: Identifier
    offers: tuple[UUID, ...] = Field(max_length=1_000)
    """The ids of `memory_offered` events."""


class RecallQuery(Query):
    """What would come to the agent's mind? The specialist's own retrieval; nothing is recorded."""

    name = "recall"
    agent_id: Identifier
    query: Text = Field(min_length=1, max_length=16_000)
    top: int = Field(default=10, ge=1, le=50)
    perspective: Label | None = None
    setting: Setting = Setting()
    deep: bool = False
    """Ask the archive too, and not only when nothing active is relevant."""


class ScorerQuery(Query):
    """How does an agent's learned scorer stand? Refused for an unknown agent."""

    name = "scorer"
    agent_id: Identifier


class CoursesQuery(Query):
    """What is an agent taught? Its courses; or one of them alone, with the report of its every exercise."""

    name = "courses"
    agent_id: Identifier
    course_id: UUID | None = None


class DueQuery(Query):
    """How many exercises come again up to this time, by the platform's clock, and are not set yet?"""

    name = "due"
    until: datetime


class WhyQuery(Query):
    """Why did these memories come to mind for a task? One retrieval a reply; refused for an unknown task."""

    name = "why"
    task_id: UUID
    number: int = Field(default=0, ge=0)
    """Which of the task's retrievals, one for each assignment, from 0 in the order of the log."""


class RoutingQuery(Query):
    """Why did this agent get the task? Refused for an unknown task."""

    name = "routing"
    task_id: UUID


class AffectQuery(Query):
    """How does an affective memory stand? Refused for an agent that has none."""

    name = "affect"
    agent_id: Identifier


class AffectMemoryQuery(Query):
    """Which of an agent's affective memories has this label, or an id that begins so? Refused for none or several."""

    name = "affect-memory"
    agent_id: Identifier
    memory: Label


class AffectTurnQuery(Query):
    """What was said, word for word, in the turn of an affective memory? Refused unless the memory is at level 1."""

    name = "affect-turn"
    agent_id: Identifier
    memory: Label


class AffectRecallQuery(Query):
    """What comes to an affective mind for what a person is about to say? That it did is noted, unless `quietly`."""

    name = "affect-recall"
    agent_id: Identifier
    prompt: Text = Field(min_length=1, max_length=TURN_LIMIT)
    session: Label | None = None
    """The session whose mood is carried along."""
    category: Category | None = None
    """What comes first where it is about the same thing."""
    within: float | None = Field(default=None, gt=0, le=86_400)
    """Seconds that the asker waits. What is found later is shown to nobody, and not noted as recalled."""
    quietly: bool = False


class TiersQuery(Query):
    """How does a tiered memory stand? Refused for an agent that has none."""

    name = "tiers"
    agent_id: Identifier


class TiersMemoryQuery(Query):
    """Which of an agent's tiered memories has an id that begins so? Refused for none or several."""

    name = "tiers-memory"
    agent_id: Identifier
    beginning: Beginning


class TiersRecallQuery(Query):
    """What comes to a tiered mind? That it was retrieved counts as access, unless it is asked for `quietly`."""

    name = "tiers-recall"
    agent_id: Identifier
    query: Text = Field(min_length=1, max_length=16_000)
    module: Module = "default"
    layers: tuple[Layer, ...] = ()
    """Only these of the module's own; all of them where none is named."""
    top: int | None = Field(default=None, ge=1, le=100)
    """The module's own number unless given."""
    shared: bool = False
    """Look into what others let it see as well."""
    second: Second | None = None
    """When it is, on a simulation's clock; now, by the log's, unless given."""
    quietly: bool = False


class StatusQuery(Query):
    """How far are the views?"""

    name = "status"


class RetryQuery(Query):
    """Will you try this event of the log again? Answered once it is done, refused with what went wrong."""

    name = "retry"
    patience = 180.0
    service: Identifier
    sequence: int = Field(ge=1)

    @property
    def topic(self) -> str:
        """At the service that gave up on it."""
        return f"{self.name}.{self.service}"


class HealthQuery(Query):
    """How well do the memories of the agents work? Of all of them, or of one; refused for an unknown one."""

    name = "health"
    agent_id: Identifier | None = None


class MemoQuery(Query):
    """Which table of contents of its memory is an agent given with its tasks? Refused for an unknown one."""

    name = "memo"
    agent_id: Identifier
    setting: Setting = Setting()
    """Where these tasks take place: what is not valid there is not told."""


Answer = (
    TaskResult
    | FeedbackStanding
    | EventView
    | IdView
    | AgentsView
    | MemoriesView
    | MemoryView
    | RememberedView
    | RecallView
    | CoursesView
    | DueView
    | WhyView
    | RoutingView
    | StatusView
    | AffectView
    | AffectMemoryView
    | AffectRecallView
    | TurnView
    | TiersView
    | TierMemoryView
    | TiersRecallView
    | ScorerView
    | HealthView
    | MemoView
    | RetriedView
)
