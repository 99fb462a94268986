"""Attempts of a task: the attempt that an event belongs to, and the reopening of a failed task."""

from uuid import UUID

from nemuri_contracts.event import Event, derive
from nemuri_contracts.tasks import TaskReopened
from nemuri_domain.tasks.aggregate import TaskState


def attempt_key(task_id: UUID, attempt: int) -> str:
    """Return the key from which the ids of an attempt's routing and end are derived. It contains the attempt, so that a
    reopened task can end again.
    """
    return f"{task_id}/{attempt}"


def attempt_of(event: Event, state: TaskState) -> int | None:
    """Return the attempt that an event belongs to: its own `attempt`, else the attempt of its assignment; None if it
    has neither.
    """
    named: int | None = getattr(event, "attempt", None)
    work = state.assignments.get(getattr(event, "assignment_id", None) or event.event_id)
    return named if named is not None or work is None else work.attempt


def reopened(task_id: UUID, failed: int, cause: UUID | None) -> TaskReopened:
    """Return the event that opens the attempt after attempt number `failed`. Its id does not depend on `cause`, so
    repeated requests reopen the task once.
    """
    return TaskReopened(
        event_id=derive(attempt_key(task_id, failed), TaskReopened.kind_of()),
        correlation_id=task_id,
        causation_id=cause,
        attempt=failed + 1,
    )
