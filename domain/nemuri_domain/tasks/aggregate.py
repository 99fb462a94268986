"""The task aggregate: states of a task, its chunks, assignments and feedback."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from immutables import Map

from nemuri_contracts.client_events import Document, NegotiationOption, Setting
from nemuri_contracts.event import OPERATOR, TUTOR, Usage
from nemuri_contracts.strength import Dropped
from nemuri_contracts.task_views import Status
from nemuri_contracts.tasks import Detail, DetailPoint, Option, Panel, Part
from nemuri_domain.event_sourcing.row_model import RowModel


class Task(RowModel):
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
    deep: bool = False
    attempt: int = 1
    items: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    option: NegotiationOption | None = None
    chosen: tuple[int, ...] = ()
    """Items that the client named as most important, from 1; empty if the platform chooses."""
    summary: str | None = None
    parts: tuple[Part, ...] = ()
    details: tuple[DetailPoint, ...] = ()
    chunks: int = 0
    """Number of chunks of its documents; 0 before chunking and without chunks."""
    points: int = 0
    """Number of chunks with an extracted key point."""
    beside: tuple[str, ...] = ()
    """Requests listed in the documents that are answered together with the text."""
    reading_usage: tuple[Usage, ...] = ()
    """Model usage of key point extraction, one entry per model."""
    routed: int = 0
    """Number of assignments of the current attempt; 0 before it is routed."""
    routing_usage: tuple[Usage, ...] = ()
    """Model usage of each routing that called a model."""
    request: str | None = None
    """The request rewritten without references to the conversation; None if the task continues none."""
    answer: str | None = None
    voices: Panel | None = None
    """Result of the panel; None for a task without one."""
    reason: str | None = None
    submitted_at: datetime
    ended_at: datetime | None = None

    @property
    def background(self) -> str | None:
        """Return the summary if documents or the client added content beyond the task's text; otherwise None."""
        more = bool(self.details or self.supplied_summary) and self.summary != self.text
        return self.summary if more else None

    def part(self, number: int) -> Part:
        """Return the part of an assignment, with the rewritten request as its text if there is one.

        Items of the documents that follow the task's text in a part are kept.
        """
        part = self.parts[number]
        if self.request is None:
            return part
        beside = part.text.removeprefix(self.text) if part.text.startswith(self.text) else ""
        return part.model_copy(update={"text": self.request + beside})


class Chunk(RowModel):
    """State of a chunk of the task's documents."""

    task_id: UUID
    ordinal: int
    detail: Detail
    point: str | None = None


class Recalled(RowModel):
    """A memory in the context of an assignment."""

    memory_id: UUID
    score: float | None
    """The score; None for a principle, which is not ranked."""
    features: tuple[float, ...]
    """Raw features in the order of `FEATURES`; empty without a score."""


class Assignment(RowModel):
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
    answer: str | None = None
    citations: tuple[UUID, ...] = ()
    details: tuple[Detail, ...] = ()
    """Passages of documents in the answering agent's prompt."""
    usage: Usage | None = None
    used: tuple[UUID, ...] | None = None
    """Memories that the answer used; None before usage detection."""
    judge_usage: Usage | None = None
    """Model usage of the usage judge; None if no model was asked."""
    learned: int | None = None
    """Number of extracted learnings; None before the extraction."""
    learning_usage: Usage | None = None
    repeated: tuple[UUID, ...] = ()
    """Memories repeated by learnings."""
    dropped: tuple[Dropped, ...] = ()
    """Rejected learnings."""
    memories: tuple[UUID, ...] = ()
    """Memories encoded from the learnings."""
    credited: tuple[str, ...] = ()
    """Credits of its memories so far, each `credit_key` once."""
    ended: bool = False
    """True if the agent's session has ended."""


class Feedback(RowModel):
    """State of a client's feedback."""

    feedback_id: UUID
    task_id: UUID
    client_id: str
    verdict: Literal["helpful", "unhelpful"] | None
    result: Literal["success", "failure"] | None
    prevented_error: UUID | None
    standing: Literal["new", "parked", "applied", "refused"] = "new"
    """Outcome; `applied` as soon as a part of it was credited."""
    reason: str | None = None
    """Reason why it waits or was refused; for applied feedback, why a part was refused."""


def is_entitled(client_id: str, task: Task) -> bool:
    """Return True if a client may rate a task and choose its options: its client, an operator or the tutor."""
    return client_id in {task.client_id, OPERATOR, TUTOR}


def credit_key(reason: str, memory_ids: Iterable[UUID]) -> str:
    """Return the key of a credit in an assignment: its reason, and for a prevented error also the memory."""
    return " ".join((reason, *map(str, memory_ids))) if reason == "prevented_error" else reason


@dataclass(frozen=True, slots=True)
class TaskState:
    """The fold of a task: the task, chunks by ordinal, and assignments and feedback by id."""

    task: Task | None = None
    chunks: Map[int, Chunk] = field(default_factory=Map)
    """All chunks in a complete fold; only the requested ones if loaded from projections."""
    assignments: Map[UUID, Assignment] = field(default_factory=Map)
    feedback: Map[UUID, Feedback] = field(default_factory=Map)

    def with_task(self, **changes: object) -> "TaskState":
        """Return the state with changed fields of the task; unchanged without a task."""
        if self.task is None:
            return self
        return TaskState(self.task.replace(**changes), self.chunks, self.assignments, self.feedback)

    def with_assignment(self, assignment_id: UUID, **changes: object) -> "TaskState":
        """Return the state with changed fields of an assignment; unchanged if it is unknown."""
        known = self.assignments.get(assignment_id)
        if known is None:
            return self
        assignments = self.assignments.set(assignment_id, known.replace(**changes))
        return TaskState(self.task, self.chunks, assignments, self.feedback)

    @property
    def begun(self) -> bool:
        """Return True if intake has produced its first result: chunks, an open negotiation, or a summary."""
        task = self.task
        return task is None or task.summary is not None or task.status == "negotiation" or task.chunks > 0

    @property
    def present(self) -> tuple[Assignment, ...]:
        """Return the assignments of the current attempt, by part and then by id."""
        if self.task is None:
            return ()
        attempt = self.task.attempt
        mine = (known for known in self.assignments.values() if known.attempt == attempt)
        return tuple(sorted(mine, key=lambda known: (known.part, str(known.assignment_id))))
