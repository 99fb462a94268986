"""Events of tasks for tests of the log, and copies of them."""

from uuid import uuid4

from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.codec import encode
from nemuri_contracts.event import Event
from nemuri_contracts.tasks import TaskFailed
from nemuri_infra.bus.event_log import Log


def submitted() -> TaskSubmitted:
    """Return the submission of a new task."""
    return TaskSubmitted(event_id=uuid4(), client_id="ann", text="What is truth value testing?")


def failed(task: TaskSubmitted) -> TaskFailed:
    """Return the event that ends a task without an answer."""
    return TaskFailed.following(task, reason="no agent is there", attempt=1)


async def append_copy(log: Log, event: Event) -> int:
    """Append the bytes of an event again, without a message id, so that the server accepts them. Return the
    sequence.
    """
    return (await log.stream.publish(log.subjects.of(event), encode(event))).seq
