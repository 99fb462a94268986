"""The task aggregate: states of a task, its chunks, assignments and feedback."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from immutables import Map

from nemuri_contracts.clarifications import Clarification
from nemuri_contracts.client_events import Budget, Document, ItemOption, Setting
from nemuri_contracts.event import OPERATOR, TUTOR, Usage
from nemuri_contracts.rebuttals import Revision
from nemuri_contracts.steps import Tool
from nemuri_contracts.strength import Dropped
from nemuri_contracts.task_views import Status
from nemuri_contracts.tasks import (
    Detail,
    DetailPoint,
    ImportantItem,
    Note,
    Option,
    Overview,
    Panel,
    Part,
    ReadingPlan,
)
from nemuri_contracts.trouble_signs import Sign
from nemuri_domain.event_sourcing.state import State

SHORT_ANSWER = 400
"""Maximum characters of the client's answer to a question that is added to the request. A longer one is material."""


class MemberRevision(State):
    """The revision of one panel member."""

    agent_id: str
    perspective: str | None
    revision: Revision


class Task(State):
    """State of a task."""

    task_id: UUID
    client_id: str
    status: Status = "open"
    text: str
    documents: tuple[Document, ...]
    supplied_summary: str | None
    wanted_agent: str | None
    wanted_perspective: str | None
    setting: Setting
    conversation: str | None = None
    panel: int | None = None
    rebuttal: bool = False
    """True if the panel members read each other's answers before the merge."""
    deep: bool = False
    streamed: bool = False
    """True if the client shows the answer while a model writes it."""
    budget: Budget | None = None
    """The most that language models may spend on the task; None for no limit."""
    question_minutes: float | None = None
    """Minutes that an agent waits for the answer to its question; 0 to forbid questions, None for the platform's
    setting.
    """
    attempt: int = 1
    items: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    important: tuple[ImportantItem, ...] = ()
    """The items that are answered if the client chooses the most important ones and names none."""
    item_usage: tuple[Usage, ...] = ()
    """Model usage of finding and choosing items, one entry per event."""
    option: ItemOption | None = None
    chosen: tuple[int, ...] = ()
    """Numbers, from 1, of the items that the client named as most important; empty if the platform chooses."""
    summary: str | None = None
    parts: tuple[Part, ...] = ()
    details: tuple[DetailPoint, ...] = ()
    chunks: int = 0
    """Number of chunks of its documents; 0 before chunking, and for a task without chunks."""
    points: int = 0
    """Number of chunks with an extracted key point."""
    listed_requests: tuple[str, ...] = ()
    """Requests that the documents list. They are answered together with `text`."""
    plan: ReadingPlan | None = None
    """The plan for reading the chunks for a request about the whole; None if only key points are wanted."""
    condensed: tuple[int, ...] = ()
    """Groups of chunks whose notes are condensed."""
    reading_usage: tuple[Usage, ...] = ()
    """Model usage of key point extraction or of notes, one entry per model."""
    condensing_usage: tuple[Usage, ...] = ()
    """Model usage of condensing notes, one entry per model."""
    summary_usage: tuple[Usage, ...] = ()
    """Model usage of summarising a summary again; empty if it fitted."""
    routed: int = 0
    """Number of assignments of the current attempt; 0 before the attempt is routed."""
    routing_usage: tuple[Usage, ...] = ()
    """Model usage of routing, one entry per routing that called a model."""
    request: str | None = None
    """The request, rewritten so that it does not refer to earlier turns of the conversation; None if it was not
    rewritten.
    """
    clarification: Clarification | None = None
    """The question that the agent asked; None if it asked none."""
    answer: str | None = None
    revisions: tuple[MemberRevision, ...] = ()
    """Revisions of the current attempt by members of the panel, in the order of the log."""
    voices: Panel | None = None
    """Result of the panel; None for a task without one."""
    reason: str | None = None
    submitted_at: datetime
    ended_at: datetime | None = None

    @property
    def chunks_read(self) -> bool:
        """Return True if every chunk has been read that the reading plan does not leave unread."""
        return self.points + (len(self.plan.unread) if self.plan else 0) >= self.chunks

    @property
    def all_read(self) -> bool:
        """Return True if all chunks have been read, and all groups of notes are condensed."""
        return self.chunks_read and len(self.condensed) >= (self.plan.groups if self.plan else 0)

    @property
    def background(self) -> str | None:
        """Return the summary if documents or the client's summary add content to the task's text; otherwise None."""
        more = bool(self.details or self.supplied_summary) and self.summary != self.text
        return self.summary if more else None

    @property
    def shows_drafts(self) -> bool:
        """Return True if the client shows the answer while a model writes it, and the task has one answer only."""
        return self.streamed and self.panel is None and self.routed == 1

    def part(self, number: int) -> Part:
        """Return the part of an assignment. If the request was rewritten, it replaces the task's text in the part.

        Items of the documents that follow the task's text in the part are kept. A short answer of the client to
        the agent's question follows as a last line; a long one is material (`clarification.material`).
        """
        part, text = self.parts[number], self.parts[number].text
        if self.request is not None:
            text = self.request + (text.removeprefix(self.text) if text.startswith(self.text) else "")
        said = self.clarification.answer if self.clarification is not None else None
        if said is not None and len(said) <= SHORT_ANSWER:
            text = f"{text}\n{said}"
        return part if text == part.text else part.model_copy(update={"text": text})


class Chunk(State):
    """State of a chunk of the task's documents."""

    task_id: UUID
    ordinal: int
    detail: Detail
    point: str | None = None
    notes: tuple[Note, ...] = ()
    """Notes on the chunk for a request about the whole. Those of a condensed group are at its first chunk."""


class Recalled(State):
    """A memory in the context of an assignment."""

    memory_id: UUID
    score: float | None
    """Score in the ranking; None for a principle, which is not ranked."""
    features: tuple[float, ...]
    """Raw features in the order of `FEATURES`; empty if there is no score."""


class TakenStep(State):
    """A call of a tool before the answer of an assignment, and its result."""

    tool: Tool
    query: str
    colleague: str | None
    memories: tuple[UUID, ...]
    """Memories that it put into the context."""
    details: tuple[Detail, ...]
    """Passages of documents that it put into the context."""
    problem: str
    """Why the tool was not run; "" if it was."""
    usage: Usage
    consultation: UUID | None = None
    """Assignment of the colleague; None before it ended and without one."""
    answer: str | None = None
    """Answer of the colleague; None if there is none."""

    @property
    def waits(self) -> bool:
        """Return True if the step waits for a colleague."""
        return self.tool == "consult" and not self.problem and self.consultation is None


class Assignment(State):
    """State of an assignment: one agent's work on one part of the task."""

    assignment_id: UUID
    task_id: UUID
    agent_id: str
    part: int
    perspective: str | None
    attempt: int
    assigned_at: datetime
    retrieved: tuple[Recalled, ...] | None = None
    """Memories in the context; None before the retrieval."""
    consulted_by: UUID | None = None
    """Assignment that asks this one a question; None for a part of the task itself."""
    question: str | None = None
    """The question of that assignment."""
    steps: tuple[TakenStep, ...] = ()
    """Calls of tools before the answer."""
    answer: str | None = None
    citations: tuple[UUID, ...] = ()
    details: tuple[Detail, ...] = ()
    """Passages of documents that were in the answering agent's prompt, labelled d1, d2, … in this order."""
    cited_details: tuple[int, ...] = ()
    """Numbers of the passages that the answer cites, from 1."""
    overview: Overview | None = None
    """The making of the answer if it is about the documents as a whole."""
    signs: tuple[Sign, ...] = ()
    """Signs of trouble in the sources of the answer."""
    usage: Usage | None = None
    used: tuple[UUID, ...] | None = None
    """Memories that the answer used; None before usage detection."""
    judge_usage: Usage | None = None
    """Model usage of the usage judge; None if no model was asked."""
    learned: int | None = None
    """Number of extracted learnings; None before the extraction."""
    learning_usage: Usage | None = None
    repeated: tuple[UUID, ...] = ()
    """Memories that learnings of the session repeat."""
    dropped: tuple[Dropped, ...] = ()
    """Rejected learnings."""
    memories: tuple[UUID, ...] = ()
    """Memories encoded from the learnings."""
    credited: tuple[str, ...] = ()
    """Credits for its memories so far, each as a `credit_key`, without duplicates."""
    ended: bool = False
    """True if the agent's session has ended."""


class Feedback(State):
    """State of a client's feedback."""

    feedback_id: UUID
    task_id: UUID
    client_id: str
    verdict: Literal["helpful", "unhelpful"] | None
    result: Literal["success", "failure"] | None
    prevented_error: UUID | None
    words: str | None = None
    correction: str | None = None
    """The right answer, by the client; None if it corrected nothing."""
    standing: Literal["new", "parked", "applied", "refused"] = "new"
    """Outcome so far. It is `applied` as soon as one part of the feedback was credited."""
    reason: str | None = None
    """Reason why the feedback waits or was refused. For applied feedback, the reason why a part of it was refused."""


def is_entitled(client_id: str, task: Task) -> bool:
    """Return True if a client may rate a task and choose its options: the task's client, an operator or the tutor."""
    return client_id in {task.client_id, OPERATOR, TUTOR}


def credit_key(reason: str, memory_ids: Iterable[UUID], *, taught: bool = False) -> str:
    """Return the key that identifies a credit within an assignment: the reason, for a prevented error also the memory,
    and whether it is for the memories that the session taught.
    """
    if taught:
        return f"{reason} taught"
    return " ".join((reason, *map(str, memory_ids))) if reason == "prevented_error" else reason


@dataclass(frozen=True, slots=True)
class TaskState:
    """The fold of a task: the task, its chunks by ordinal, and its assignments and feedback by id."""

    task: Task | None = None
    chunks: Map[int, Chunk] = field(default_factory=Map)
    """All chunks in a complete fold. If loaded from projections, only the chunks that were requested."""
    assignments: Map[UUID, Assignment] = field(default_factory=Map)
    feedback: Map[UUID, Feedback] = field(default_factory=Map)

    def with_task(self, **changes: object) -> "TaskState":
        """Return the state with these changes to the task. Without a task, nothing changes."""
        if self.task is None:
            return self
        return TaskState(self.task.replace(**changes), self.chunks, self.assignments, self.feedback)

    def with_assignment(self, assignment_id: UUID, **changes: object) -> "TaskState":
        """Return the state with these changes to an assignment. If the assignment is unknown, nothing changes."""
        known = self.assignments.get(assignment_id)
        if known is None:
            return self
        assignments = self.assignments.set(assignment_id, known.replace(**changes))
        return TaskState(self.task, self.chunks, assignments, self.feedback)

    def question(self, work: Assignment) -> str:
        """Return the text that an assignment answers: that of its part, or the question of another assignment.

        Raises LookupError without a task.
        """
        if work.question is not None:
            return work.question
        if self.task is None:
            raise LookupError(f"assignment {work.assignment_id} belongs to no known task")
        return self.task.part(work.part).text

    @property
    def consultations(self) -> tuple[Assignment, ...]:
        """Return the assignments of the current attempt that answer questions of others, by id."""
        known = (assignment for _, assignment in sorted(self.assignments.items()))
        return tuple(
            assignment
            for assignment in known
            if assignment.consulted_by is not None and self.task and assignment.attempt == self.task.attempt
        )

    @property
    def begun(self) -> bool:
        """Return True if intake has produced its first result (chunks, an open negotiation or a summary), or if there
        is no task.
        """
        task = self.task
        return task is None or task.summary is not None or task.status == "negotiation" or task.chunks > 0

    @property
    def present(self) -> tuple[Assignment, ...]:
        """Return the assignments of the current attempt, sorted by part and then by id. Consultations are left out."""
        if self.task is None:
            return ()
        attempt = self.task.attempt
        mine = (known for known in self.assignments.values() if known.attempt == attempt and known.consulted_by is None)
        return tuple(sorted(mine, key=lambda known: (known.part, str(known.assignment_id))))
