"""Questions to the views, asked over the bus; nothing of them is recorded."""

from datetime import datetime
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from nemuri.contracts.agents import Definition, Embedding
from nemuri.contracts.clients import MemoryContent, Setting
from nemuri.contracts.event import Identifier, Label, Text, Value
from nemuri.contracts.health import HealthView
from nemuri.contracts.memories import Candidate, HeldOut, Relation
from nemuri.contracts.results import FeedbackStanding, TaskResult

MEMORIES_AT_ONCE = 300
"""At most so many memories are in one reply."""


class Query(Value):
    """A question; the answer reflects at least the log up to `after`."""

    name: ClassVar[str]
    after: int = Field(default=0, ge=0)


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


class AgentsQuery(Query):
    """Which agents are there? All that can be asked, or one; refused for an unknown one."""

    name = "agents"
    agent_id: Identifier | None = None
    orchestrator: bool = False
    """Whether the orchestrator's own mind is listed too."""


class AgentView(Value):
    """An agent as it is now."""

    agent_id: Identifier
    definition: Definition
    embedding: Embedding
    sessions_slept: int
    active: int
    archived: int


class AgentsView(Value):
    """The agents, by name."""

    agents: tuple[AgentView, ...]


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


class MemoryView(Value):
    """A memory as it is now."""

    memory_id: UUID
    agent_id: Identifier
    memory: MemoryContent
    source: str
    links: tuple[UUID, ...]
    relations: tuple[Relation, ...] = ()
    """The older memories that it contradicts or supersedes."""
    yields_to: tuple[UUID, ...] = ()
    """The newer memories that contradict or supersede it."""
    status: Literal["active", "archived"]
    strength: float
    strength_by_perspective: dict[str, float]
    level: int
    candidate_count: int
    access_count: int
    impact_score: float
    last_accessed_at: datetime | None
    created_at: datetime


class MemoriesView(Value):
    """A page of memories, strongest first; fewer than asked for where more would not fit one reply."""

    memories: tuple[MemoryView, ...]
    following: int | None = None
    """The offset of the next page; None where there is none."""


class RememberedQuery(Query):
    """What became of these offers? Answered as soon as all are decided, or after a while."""

    name = "remembered"
    agent_id: Identifier
    offers: tuple[UUID, ...] = Field(max_length=1_000)
    """The ids of `memory_offered` events."""


class RememberedView(Value):
    """What became of offered memories."""

    pending: tuple[UUID, ...] = ()
    """Offers that are not decided yet, in the order asked."""
    refused: tuple[UUID, ...] = ()


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


class RecalledMemory(Value):
    """A memory that came to mind."""

    candidate: Candidate
    memory: MemoryContent


class RecallView(Value):
    """What came to mind, best first, and by which ranking."""

    ranking: str
    memories: tuple[RecalledMemory, ...]
    """None where nothing relevant is remembered."""
    deep: bool = False
    """Whether the archive was asked."""


class ScorerQuery(Query):
    """How does an agent's learned scorer stand? Refused for an unknown agent."""

    name = "scorer"
    agent_id: Identifier


class Weighed(Value):
    """How much a feature counts, as a share: the magnitudes of all nine add up to 1."""

    linear: float
    """Its weight in the linear score."""
    learned: float | None
    """What its way from 0 to 1 adds to the learned score, the others at 1/2; None where nothing is learned yet."""


class ScorerVersion(Value):
    """The newest version of an agent's learned scorer."""

    number: int
    samples: int
    """Candidates that it was trained on, used and unused."""
    tasks: int
    """Assignments that they come from."""
    held_out: HeldOut
    serves: bool
    trained_at: datetime


class ScorerView(Value):
    """An agent's learned scorer, or how far it is from its first one."""

    agent_id: Identifier
    ranking: str
    """What ranks now: `scorer-N`, or which other ranking."""
    standing: Text
    """In one line for people: whether the learned scorer ranks, and why not."""
    gathered: int
    """Samples that were gathered since the last training, or since the beginning."""
    wanted: int
    """So many of them lead to the next training."""
    version: ScorerVersion | None
    """None before the first training."""
    features: dict[str, Weighed]
    """By name, in the order of document 000 §3.4."""


class CoursesQuery(Query):
    """What is an agent taught? Its courses; or one of them alone, with the report of its every exercise."""

    name = "courses"
    agent_id: Identifier
    course_id: UUID | None = None


class AnswerReport(Value):
    """How an answer to an exercise was."""

    repetition: int
    """0 for the test after the chapter, then counting."""
    correct: bool
    missing: tuple[str, ...]
    graded_at: datetime
    reviewed: tuple[UUID, ...]
    """The memories that were looked at again after a wrong answer."""


class ExerciseReport(Value):
    """An exercise, and how its answers were."""

    question: Text
    """Its beginning, where it is long."""
    answers: tuple[AnswerReport, ...]
    due_at: datetime | None


class ChapterReport(Value):
    """A chapter, and how it went."""

    title: Text
    read: bool
    slept: bool
    """Whether the agent has slept over the reading."""
    memories: int
    """How many of them it made."""
    archived: int
    """How many of these are in the archive by now."""
    strength: float | None
    """The mean strength now of those that are not; None where there are none."""
    exercises: int
    right: int
    wrong: int
    """By the newest answer to each; those without one are neither."""
    due_at: datetime | None
    """When the first of its exercises comes again."""
    details: tuple[ExerciseReport, ...] = ()
    """Only where one course was asked for."""


class CourseReport(Value):
    """A course, and how far it is."""

    course_id: UUID
    title: Text
    perspective: str | None
    repeating: str
    begun_at: datetime
    finished_at: datetime | None
    chapters: tuple[ChapterReport, ...]


class CoursesView(Value):
    """An agent's courses, oldest first."""

    agent_id: Identifier
    now: datetime
    """By the platform's clock."""
    courses: tuple[CourseReport, ...]


class WhyQuery(Query):
    """Why did these memories come to mind for a task? One retrieval a reply; refused for an unknown task."""

    name = "why"
    task_id: UUID
    number: int = Field(default=0, ge=0)
    """Which of the task's retrievals, one for each assignment, from 0 in the order of the log."""


class ExplainedCandidate(Value):
    """A candidate with what its features added to its score."""

    candidate: Candidate
    contributions: tuple[float, ...]
    """In the order of `FEATURES`; together the score that its features give, less that of the mean candidate."""
    decided: Text
    """What decided its rank, in words."""
    standing: Literal["used", "in context", "always in mind", "left out"]
    """What became of it; a principle that the answer drew on counts as used."""
    beginning: str
    """How its content begins."""


class KeptInMind(Value):
    """A principle, which is in every context whatever its rank."""

    memory_id: UUID
    beginning: str


class Explanation(Value):
    """What came to an agent's mind for an assignment, and why in this order."""

    assignment_id: UUID
    agent_id: Identifier
    perspective: Label | None
    query: str
    """How it begins."""
    ranking: str
    deep: bool
    principles: tuple[KeptInMind, ...]
    candidates: tuple[ExplainedCandidate, ...]
    """All of stage 1, best first; none where nothing relevant was remembered."""


class WhyView(Value):
    """One of a task's retrievals, explained."""

    of: int
    """How many there are."""
    explanation: Explanation | None = None
    """None where there is no such retrieval (yet)."""


class StatusQuery(Query):
    """How far are the views?"""

    name = "status"


class StatusView(Value):
    """The views' place in the log and what they hold."""

    projected: int
    tasks: dict[str, int]
    """Tasks by status."""
    agents: int
    memories: int
    halted: str | None = None
    """Why the views do not go on; None while they do."""


class HealthQuery(Query):
    """How well do the memories of the agents work? Of all of them, or of one; refused for an unknown one."""

    name = "health"
    agent_id: Identifier | None = None


class MemoQuery(Query):
    """Which table of contents of its memory is an agent given with its tasks? Refused for an unknown one."""

    name = "memo"
    agent_id: Identifier


class MemoView(Value):
    """An agent's table of contents, as it would be given now."""

    agent_id: Identifier
    memo: str
    """Topics, strongest first, each with the number of memories about it; "" for none."""
    tokens: int
    """What it costs, by the offline estimate."""
    limit: int
    """What it may cost, by the agent's policy."""


Answer = (
    TaskResult
    | FeedbackStanding
    | AgentsView
    | MemoriesView
    | MemoryView
    | RememberedView
    | RecallView
    | CoursesView
    | WhyView
    | StatusView
    | ScorerView
    | HealthView
    | MemoView
)
