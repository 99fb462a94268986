"""What is known of a task at a moment."""

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
    """The task itself."""

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
    """The items that the client called the most important, from 1; empty where it left that to the platform."""
    summary: str | None = None
    parts: tuple[Part, ...] = ()
    details: tuple[DetailPoint, ...] = ()
    chunks: int = 0
    """Into how many chunks the documents were cut; 0 before that, and where nothing is cut."""
    points: int = 0
    """How many of the chunks have their key point."""
    beside: tuple[str, ...] = ()
    """The requests that the documents list and that are answered together with the text."""
    reading_usage: tuple[Usage, ...] = ()
    """What the key points cost, once for each model."""
    routed: int = 0
    """How many assignments the present attempt has; 0 before it is routed."""
    routing_usage: tuple[Usage, ...] = ()
    """What each routing cost for which a model was asked."""
    request: str | None = None
    """What is asked in words that stand on their own, where the task continues a conversation."""
    answer: str | None = None
    voices: Panel | None = None
    """What a panel said, where there was one."""
    reason: str | None = None
    submitted_at: datetime
    ended_at: datetime | None = None

    @property
    def background(self) -> str | None:
        """What the task is about beyond its own words: its summary, where documents or the client gave it more."""
        more = bool(self.details or self.supplied_summary) and self.summary != self.text
        return self.summary if more else None

    def part(self, number: int) -> Part:
        """What an assignment of that part works on: in words that stand on their own, where there are such.

        What a part has beside the text of the task, items of its documents, it keeps.
        """
        part = self.parts[number]
        if self.request is None:
            return part
        beside = part.text.removeprefix(self.text) if part.text.startswith(self.text) else ""
        return part.model_copy(update={"text": self.request + beside})


class Chunk(RowModel):
    """A chunk of the task's documents."""

    task_id: UUID
    ordinal: int
    detail: Detail
    point: str | None = None


class Recalled(RowModel):
    """A memory that went into the context of an assignment."""

    memory_id: UUID
    score: float | None
    """None for a principle, which no ranking chose."""
    features: tuple[float, ...]
    """Raw, in the order of `FEATURES`; empty where there is no score."""


class Assignment(RowModel):
    """One agent's work on one part of the task."""

    assignment_id: UUID
    task_id: UUID
    agent_id: str
    part: int
    perspective: str | None
    attempt: int
    assigned_at: datetime
    retrieved: tuple[Recalled, ...] | None = None
    """What went into the context; None before the retrieval."""
    answer: str | None = None
    citations: tuple[UUID, ...] = ()
    details: tuple[Detail, ...] = ()
    """The passages of documents that were given to who answered."""
    usage: Usage | None = None
    used: tuple[UUID, ...] | None = None
    """None before the attribution."""
    judge_usage: Usage | None = None
    """What the judgement of what was used cost; None where no model was asked."""
    learned: int | None = None
    """How many learnings were extracted; None before that."""
    learning_usage: Usage | None = None
    repeated: tuple[UUID, ...] = ()
    """The memories that learnings repeated."""
    dropped: tuple[Dropped, ...] = ()
    """The learnings that were not kept."""
    memories: tuple[UUID, ...] = ()
    """The memories encoded from the learnings."""
    credited: tuple[str, ...] = ()
    """For what its memories were credited, each `credit_key` once."""
    ended: bool = False
    """Whether the agent's session is over."""


class Feedback(RowModel):
    """What a client said of the task."""

    feedback_id: UUID
    task_id: UUID
    client_id: str
    verdict: Literal["helpful", "unhelpful"] | None
    result: Literal["success", "failure"] | None
    prevented_error: UUID | None
    standing: Literal["new", "parked", "applied", "refused"] = "new"
    """What became of it; applied as soon as a part of it was."""
    reason: str | None = None
    """Why it waits or was refused; of what is applied, why a part of it was refused."""


def is_entitled(client_id: str, task: Task) -> bool:
    """Return whether a client may judge a task and say how it goes on: its own client, an operator, or the tutor."""
    return client_id in {task.client_id, OPERATOR, TUTOR}


def credit_key(reason: str, memory_ids: Iterable[UUID]) -> str:
    """How an assignment remembers a credit: by its reason, and for a prevented error by the memory too."""
    return " ".join((reason, *map(str, memory_ids))) if reason == "prevented_error" else reason


@dataclass(frozen=True, slots=True)
class TaskState:
    """The fold of a task: itself, its chunks by ordinal, its assignments and its feedback by id."""

    task: Task | None = None
    chunks: Map[int, Chunk] = field(default_factory=Map)
    """All of them in a fold from the beginning; a state loaded from the views holds only those asked for."""
    assignments: Map[UUID, Assignment] = field(default_factory=Map)
    feedback: Map[UUID, Feedback] = field(default_factory=Map)

    def with_task(self, **changes: object) -> "TaskState":
        """The state with some fields of the task changed; unchanged when there is no task."""
        if self.task is None:
            return self
        return TaskState(self.task.replace(**changes), self.chunks, self.assignments, self.feedback)

    def with_assignment(self, assignment_id: UUID, **changes: object) -> "TaskState":
        """The state with some fields of an assignment changed; unchanged when there is no such assignment."""
        known = self.assignments.get(assignment_id)
        if known is None:
            return self
        assignments = self.assignments.set(assignment_id, known.replace(**changes))
        return TaskState(self.task, self.chunks, assignments, self.feedback)

    @property
    def begun(self) -> bool:
        """Whether the first outcome of intake is there: chunks, a negotiation that waits, or a summary."""
        task = self.task
        return task is None or task.summary is not None or task.status == "negotiation" or task.chunks > 0

    @property
    def present(self) -> tuple[Assignment, ...]:
        """The assignments of the present attempt, by part and then by id."""
        if self.task is None:
            return ()
        attempt = self.task.attempt
        mine = (known for known in self.assignments.values() if known.attempt == attempt)
        return tuple(sorted(mine, key=lambda known: (known.part, str(known.assignment_id))))
