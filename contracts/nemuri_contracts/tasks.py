"""What happens to a task on its way from submission to answer."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.client_events import NegotiationOption
from nemuri_contracts.event import Count, Identifier, Label, TaskEvent, Text, Usage, Value


class Detail(Value):
    """A piece of a document: behind a reference, so that only who needs it reads it."""

    document: Label
    ref: Text
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    """Characters of the document's text, `start` included, `end` not."""
    pages: tuple[int, int] | None = None
    """First and last page, from 1; None where the document has no pages."""


class TaskChunked(TaskEvent):
    """The task's documents were cut into chunks, whose key points are extracted a few at a time."""

    kind: Literal["task_chunked"] = "task_chunked"
    details: tuple[Detail, ...] = Field(min_length=1)
    """The chunks, in order."""
    beside: tuple[Text, ...] = ()
    """The requests that the documents list and that are answered together with the task's text."""


class ChunkReady(TaskEvent):
    """A chunk's turn has come: its key point is to be extracted."""

    kind: Literal["chunk_ready"] = "chunk_ready"
    ordinal: Count
    """Its place among the chunks, from 0."""


class ChunkSummarised(TaskEvent):
    """A chunk has its key point: one sentence."""

    kind: Literal["chunk_summarised"] = "chunk_summarised"
    ordinal: Count
    point: Text
    usage: Usage


class Option(Value):
    """A way to go on that a negotiation offers."""

    name: NegotiationOption
    description: Text


class NegotiationOpened(TaskEvent):
    """The input holds more items than are answered at once; the client chooses how to go on."""

    kind: Literal["negotiation_opened"] = "negotiation_opened"
    items: tuple[Text, ...]
    options: tuple[Option, ...]


class DetailPoint(Value):
    """A detail and its key point; None where nobody extracted one."""

    detail: Detail
    point: Text | None


class Part(Value):
    """What one assignment has to answer."""

    title: Label | None = None
    """What its items have in common, or which batch it is; None for a task of one part."""
    text: Text
    items: int = Field(default=0, ge=0)
    """How many items of a negotiated task it answers; 0 for a task of one part."""


class TaskSummarised(TaskEvent):
    """The task is small enough to be routed: a summary, its parts, and references to the details."""

    kind: Literal["task_summarised"] = "task_summarised"
    summary: Text
    """At most 1,000 tokens by the offline estimate."""
    parts: tuple[Part, ...] = Field(min_length=1)
    details: tuple[DetailPoint, ...] = ()


class AgentScore(Value):
    """How well an agent fits a task, by the orchestrator's three perspectives, each 0 to 1."""

    agent_id: Identifier
    expertise: float
    history: float
    load: float
    total: float


class Choice(Value):
    """An agent that will work on a part of the task."""

    agent_id: Identifier
    part: Count
    perspective: Label | None


class TaskRouted(TaskEvent):
    """The orchestrator chose who works on the task, from these scores."""

    kind: Literal["task_routed"] = "task_routed"
    attempt: Annotated[Count, Field(ge=1)]
    choices: tuple[Choice, ...] = Field(min_length=1)
    scores: tuple[AgentScore, ...]
    request: Text | None = None
    """What is asked in words that stand on their own, where the task continues a conversation; else None."""
    recalled: tuple[UUID, ...] = ()
    """The orchestrator's memories of past tasks like this one on which the scores of the chosen agents rest."""
    usage: Usage | None = None
    """What making the request self-contained cost."""


class TaskAssigned(TaskEvent):
    """An agent is to work on a part; the event's id is the assignment's id."""

    kind: Literal["task_assigned"] = "task_assigned"
    agent_id: Identifier
    part: Count
    perspective: Label | None
    attempt: Annotated[Count, Field(ge=1)]

    @property
    def assignment_id(self) -> UUID:
        """The unit of work: one retrieval, one answer, one use record, one session."""
        return self.event_id


class TaskAnswered(TaskEvent):
    """An assignment has its answer; the first one recorded is never replaced."""

    kind: Literal["task_answered"] = "task_answered"
    agent_id: Identifier
    assignment_id: UUID
    text: Text
    citations: tuple[UUID, ...]
    """The memories that the answer cites."""
    citations_complete: bool = False
    """Whether it certainly drew on nothing that it does not cite."""
    details: tuple[Detail, ...]
    """The passages of documents that were given to who answered."""
    usage: Usage


class Voice(Value):
    """What one member of a panel answered."""

    agent_id: Identifier
    perspective: Label | None
    answer: Text


class Dissent(Value):
    """What one member of a panel holds against the others."""

    agent_id: Identifier
    perspective: Label | None = None
    """The seat that it holds: an agent may have several."""
    text: Text


class Panel(Value):
    """The answers of several agents side by side, and what they come to."""

    voices: tuple[Voice, ...] = Field(min_length=1)
    merged: Text
    dissent: tuple[Dissent, ...] = ()
    usage: Usage
    """What merging them cost."""
    asked: int | None = None
    """How many voices the client asked for: more than there are where agents and perspectives did not suffice."""


class TaskCompleted(TaskEvent):
    """Every assignment of the attempt is answered; this is the whole answer."""

    kind: Literal["task_completed"] = "task_completed"
    answer: Text
    panel: Panel | None = None
    """The voices of a panel, where there was one."""


class TaskFailed(TaskEvent):
    """The task ended without an answer."""

    kind: Literal["task_failed"] = "task_failed"
    attempt: Annotated[Count, Field(ge=1)]
    reason: Text


class TaskReopened(TaskEvent):
    """A failed task is tried once more."""

    kind: Literal["task_reopened"] = "task_reopened"
    attempt: Annotated[Count, Field(ge=2)]


class FeedbackParked(TaskEvent):
    """Feedback waits: there is nothing yet that it could be credited to."""

    kind: Literal["feedback_parked"] = "feedback_parked"
    feedback_id: UUID
    reason: Text


class FeedbackRefused(TaskEvent):
    """Feedback, or a part of it, is credited to nothing, and never will be."""

    kind: Literal["feedback_refused"] = "feedback_refused"
    feedback_id: UUID
    reason: Text


class NegotiationRefused(TaskEvent):
    """A choice of how the task goes on changes nothing: it is not for that client to make."""

    kind: Literal["negotiation_refused"] = "negotiation_refused"
    answer_id: UUID
    """The event of the client that said it."""
    reason: Text


class ReactionFailed(TaskEvent):
    """A service gave up on an event of this task because of the event itself."""

    kind: Literal["reaction_failed"] = "reaction_failed"
    service: Identifier
    cause_kind: Text
    attempt: Annotated[Count, Field(ge=1)]
    """The attempt of the task that this event belonged to: a later one goes on."""
    error: Text
