"""Tests of the durable consumers of a service."""

from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.event import Event
from nemuri_contracts.strength import AgentSlept, MemoryEncoded, SessionEnded
from nemuri_contracts.subjects import Subjects
from nemuri_contracts.tasks import TaskCompleted, TaskSummarised
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Service
from tests.contracts.examples import EXAMPLES


def test_a_service_has_one_consumer_for_all_its_kinds() -> None:
    """A service has one consumer for all kinds that it handles, and none without handlers.

    The consumer allows as many unacknowledged events as the service handles at the same time.
    """
    service = Service("clerk", concurrency=3)
    assert service.durable(Subjects("z")) is None
    service.handles(TaskSummarised, TaskCompleted)(_nothing)

    durable = service.durable(Subjects("z"))
    assert durable is not None

    assert (durable.name, durable.concurrency) == ("clerk", 3)
    assert durable.subjects == ("z.task.*.task_summarised", "z.task.*.task_completed")


def test_a_consumer_of_client_events_receives_all_of_them() -> None:
    """A consumer of client events also receives messages of unknown kinds, and its filters do not overlap."""
    service = Service("door", consumes_client_events=True)
    service.handles(TaskSubmitted, TaskCompleted)(_nothing)

    durable = service.durable(Subjects("z"))
    assert durable is not None

    assert durable.subjects == ("z.client.>", "z.task.*.task_completed")


def test_the_events_of_an_agent_share_a_partition() -> None:
    """Events of all kinds of one agent are in the same partition."""
    subjects = Subjects("z")

    found = {subjects.of(EXAMPLES[kind.kind_of()]).split(".")[3] for kind in (AgentSlept, MemoryEncoded, SessionEnded)}

    assert len(found) == 1


async def _nothing(event: Event, resources: Resources) -> None:
    """Return no outcome."""
