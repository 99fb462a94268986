"""What a client gets to see of a task."""

from typing import Literal
from uuid import UUID

from nemuri.contracts.event import Value
from nemuri.contracts.tasks import Option, Panel

Status = Literal["open", "negotiation", "done", "failed"]


class Retrieved(Value):
    """A memory that was put into the context."""

    memory_id: UUID
    score: float | None
    """None for a principle, which is in every context."""
    features: dict[str, float]


class TaskResult(Value):
    """How a task stands."""

    task_id: UUID
    status: Status
    agent_id: str | None = None
    """The agent that answered; the first of them where several did."""
    answer: str | None = None
    panel: Panel | None = None
    """The voices of a panel, what they come to and who dissents; `answer` holds it all as text."""
    model: str | None = None
    citations: tuple[UUID, ...] = ()
    retrieved: tuple[Retrieved, ...] = ()
    used: tuple[UUID, ...] = ()
    learned: tuple[UUID, ...] = ()
    reason: str | None = None
    """Why it failed."""
    items: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    """How it can go on, while a negotiation is open."""
    progress: str | None = None
    """Where it is on its way, in a few words."""
    settled: bool = False
    """Whether everything that follows from it is known: what was used and what was learned."""
