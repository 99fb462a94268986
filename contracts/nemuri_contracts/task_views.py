"""Views of a task for clients."""

from typing import Literal
from uuid import UUID

from nemuri_contracts.event import Usage, Value
from nemuri_contracts.strength import Dropped
from nemuri_contracts.tasks import Option, Panel

Status = Literal["open", "negotiation", "done", "failed"]
Step = Literal["key points", "routing", "answer", "judge", "learnings", "panel"]
"""Steps of a task that call a model: summarising chunks, rewriting the request, answering, usage judge, learning,
merging a panel.
"""


class Retrieved(Value):
    """A memory that was put into the context."""

    memory_id: UUID
    score: float | None
    """Retrieval score; None for a principle, which is part of every context."""
    features: dict[str, float]


class FeedbackStanding(Value):
    """Outcome of a client's feedback."""

    feedback_id: UUID
    verdict: Literal["helpful", "unhelpful"] | None = None
    result: Literal["success", "failure"] | None = None
    prevented_error: UUID | None = None
    standing: Literal["new", "parked", "applied", "refused"]
    """`new`: undecided. `parked`: waits for the detected uses. `applied`: credited, possibly to no memory. `refused`:
    credited to nothing.
    """
    reason: str | None = None
    """Reason why it waits or was refused; for applied feedback, why a part was refused."""
    memories: tuple[UUID, ...] = ()
    """Memories that were credited so far."""

    @property
    def decided(self) -> bool:
        """Return True if every part is decided, or the reason for the delay is known."""
        if self.standing != "applied" or self.prevented_error is None:
            return self.standing != "new"
        return self.prevented_error in self.memories or self.reason is not None


class Cost(Usage):
    """Model usage of one step of a task with one model, over all attempts."""

    step: Step


class TaskResult(Value):
    """State and result of a task."""

    task_id: UUID
    client_id: str | None = None
    """Client that submitted it. Only this client and operators may give feedback and answer negotiations."""
    status: Status
    attempt: int = 1
    """Number of the attempt. It grows by 1 each time a failed task is reopened."""
    agent_id: str | None = None
    """Agent that answered; the first one if there were several."""
    answer: str | None = None
    panel: Panel | None = None
    """Answers of a panel with the merged answer and the dissent. `answer` has all of it as text."""
    model: str | None = None
    citations: tuple[UUID, ...] = ()
    retrieved: tuple[Retrieved, ...] = ()
    recalled: int | None = None
    """Number of relevant memories in the context without principles; None before retrieval.

    0 if nothing relevant was remembered.
    """
    used: tuple[UUID, ...] = ()
    learned: tuple[UUID, ...] = ()
    repeated: tuple[UUID, ...] = ()
    """Memories that were reinforced because a learning repeated them."""
    dropped: tuple[Dropped, ...] = ()
    """Rejected learnings, with reasons."""
    costs: tuple[Cost, ...] = ()
    """Model usage so far, by step. Steps without a model call are left out."""
    reason: str | None = None
    """Reason of the failure."""
    items: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    """Options of an open negotiation."""
    feedback: tuple[FeedbackStanding, ...] = ()
    """Feedback of clients, by id."""
    progress: str | None = None
    """Short description of the current step."""
    chunks: int = 0
    """Number of chunks of its documents; 0 before chunking and without documents."""
    points: int = 0
    """Number of chunks with an extracted key point so far."""
    chunks_read: int | None = None
    """Number of chunks with passages in the answering agent's prompt. None before that and without documents."""
    share_read: float | None = None
    """Share of the documents' text in these passages, 0 to 1.

    The whole text is searched for the words of the question, but no model has read the rest.
    """
    settled: bool = False
    """True if all consequences are known: used memories and learnings."""
