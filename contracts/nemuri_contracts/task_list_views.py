"""Views of the list of tasks."""

from datetime import datetime
from uuid import UUID

from nemuri_contracts.event import Identifier, Label, Moment, Value
from nemuri_contracts.task_views import Status


class TaskPlace(Value):
    """The place of a task in the list of all tasks, which is ordered by the time of submission."""

    submitted_at: Moment
    task_id: UUID


class TaskLine(Value):
    """One line of the list of tasks."""

    task_id: UUID
    status: Status
    client_id: Identifier
    agents: tuple[Identifier, ...] = ()
    """Agents to which the task is assigned in its present attempt."""
    beginning: str
    """The first characters of the task's text."""
    perspective: Label | None = None
    """Perspective that the client asked for; None if it asked for none."""
    conversation: str | None = None
    attempt: int
    """Number of the attempt, from 1."""
    submitted_at: datetime
    ended_at: datetime | None = None
    """Time at which it was answered or failed; None before."""


class TasksView(Value):
    """A page of the list of tasks, the ones submitted last first."""

    tasks: tuple[TaskLine, ...]
    following: TaskPlace | None = None
    """Place after which the next page begins; None on the last page.

    A page with a condition may hold fewer tasks than requested although there are more, because one query reads a
    limited number.
    """
