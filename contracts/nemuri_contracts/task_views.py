"""What a client gets to see of a task."""

from typing import Literal
from uuid import UUID

from nemuri_contracts.event import Usage, Value
from nemuri_contracts.strength import Dropped
from nemuri_contracts.tasks import Option, Panel

Status = Literal["open", "negotiation", "done", "failed"]
Step = Literal["key points", "routing", "answer", "judge", "learnings", "panel"]
"""Reading pieces, restating the request, answering, judging what was used, learning, merging voices."""


class Retrieved(Value):
    """A memory that was put into the context."""

    memory_id: UUID
    score: float | None
    """None for a principle, which is in every context."""
    features: dict[str, float]


class FeedbackStanding(Value):
    """What became of what a client said of the task."""

    feedback_id: UUID
    verdict: Literal["helpful", "unhelpful"] | None = None
    result: Literal["success", "failure"] | None = None
    prevented_error: UUID | None = None
    standing: Literal["new", "parked", "applied", "refused"]
    """Not yet decided; waiting for what the answer draws on; credited, be it to no memory; or credited to nothing."""
    reason: str | None = None
    """Why it waits or was refused; of feedback that is applied, why a part of it was refused."""
    memories: tuple[UUID, ...] = ()
    """What it was credited to so far."""

    @property
    def decided(self) -> bool:
        """Whether it is known what becomes of every part of it, or at least why that is not known yet."""
        if self.standing != "applied" or self.prevented_error is None:
            return self.standing != "new"
        return self.prevented_error in self.memories or self.reason is not None


class Cost(Usage):
    """What one step of a task cost by one model, over all of its attempts."""

    step: Step


class TaskResult(Value):
    """How a task stands."""

    task_id: UUID
    client_id: str | None = None
    """Who submitted it; besides operators only that client judges it and says how it goes on."""
    status: Status
    attempt: int = 1
    """One more each time that it was opened again after it had failed."""
    agent_id: str | None = None
    """The agent that answered; the first of them where several did."""
    answer: str | None = None
    panel: Panel | None = None
    """The voices of a panel, what they come to and who dissents; `answer` holds it all as text."""
    model: str | None = None
    citations: tuple[UUID, ...] = ()
    retrieved: tuple[Retrieved, ...] = ()
    recalled: int | None = None
    """How many memories were relevant enough to be put into the context, principles aside; None before that is known.

    0 when nothing relevant was remembered.
    """
    used: tuple[UUID, ...] = ()
    learned: tuple[UUID, ...] = ()
    repeated: tuple[UUID, ...] = ()
    """Memories that were strengthened because what was learned says what they say already."""
    dropped: tuple[Dropped, ...] = ()
    """What was learned and not kept, and why."""
    costs: tuple[Cost, ...] = ()
    """What it cost so far, step by step; a step that asked no model is not among them."""
    reason: str | None = None
    """Why it failed."""
    items: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    """How it can go on, while a negotiation is open."""
    feedback: tuple[FeedbackStanding, ...] = ()
    """What clients said of it, by id."""
    progress: str | None = None
    """Where it is on its way, in a few words."""
    chunks: int = 0
    """Into how many parts its documents were cut; 0 before that, and for a task without documents."""
    points: int = 0
    """How many of the parts have their key point so far."""
    chunks_read: int | None = None
    """From how many of the parts passages were given to who answered; None before that, and without documents."""
    share_read: float | None = None
    """How much of the documents' text these passages are, 0 to 1.

    All of it is searched for the words of the question, but the rest of it was read by nobody.
    """
    settled: bool = False
    """Whether everything that follows from it is known: what was used and what was learned."""
