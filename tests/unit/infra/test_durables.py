"""Tests of the durable consumers of a service: one for all events, or one for each group of partitions."""

from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.event import Event
from nemuri_contracts.strength import AgentSlept, MemoryEncoded, SessionEnded
from nemuri_contracts.subjects import PARTITIONS, Subjects
from nemuri_contracts.tasks import TaskCompleted, TaskSummarised
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Service
from tests.contracts.examples import EXAMPLES


def test_a_service_has_one_consumer_for_all_its_kinds() -> None:
    """A service has one consumer for all kinds that it handles, and none without handlers.

    The consumer allows as many unacknowledged events as the service handles at the same time.
    """
    service = Service("clerk", concurrency=3)
    assert service.durables(Subjects("z")) == ()
    service.handles(TaskSummarised, TaskCompleted)(_nothing)

    (durable,) = service.durables(Subjects("z"))

    assert (durable.name, durable.concurrency) == ("clerk", 3)
    assert durable.subjects == ("z.task.*.task_summarised", "z.task.*.task_completed")


def test_a_consumer_of_client_events_receives_all_of_them() -> None:
    """A consumer of client events also receives messages of unknown kinds, and its filters do not overlap."""
    service = Service("door", consumes_client_events=True)
    service.handles(TaskSubmitted, TaskCompleted)(_nothing)

    (durable,) = service.durables(Subjects("z"))

    assert durable.subjects == ("z.client.>", "z.task.*.task_completed")


def test_a_partitioned_service_handles_one_event_at_a_time_per_group() -> None:
    """A partitioned service has a consumer for each group of partitions, which delivers one event at a time.

    The groups together contain each partition exactly once.
    """
    service = Service("strength-sleep", groups=16)
    service.handles(SessionEnded)(_nothing)

    durables = service.durables(Subjects("z"))

    assert [durable.concurrency for durable in durables] == [1] * 16
    assert len({durable.name for durable in durables}) == 16
    heard = [subject for durable in durables for subject in durable.subjects]
    assert sorted(heard) == sorted(f"z.agent.*.{number}.*.session_ended" for number in range(PARTITIONS))


def test_the_events_of_an_agent_share_a_partition() -> None:
    """Events of all kinds of one agent are in the same partition."""
    subjects = Subjects("z")

    found = {subjects.of(EXAMPLES[kind.kind_of()]).split(".")[3] for kind in (AgentSlept, MemoryEncoded, SessionEnded)}

    assert len(found) == 1


async def _nothing(event: Event, resources: Resources) -> None:
    """Return no outcome."""
