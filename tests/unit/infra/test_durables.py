"""What a service consumes from: one durable, or one for each group of partitions."""

from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.event import Event
from nemuri_contracts.strength import AgentSlept, MemoryEncoded, SessionEnded
from nemuri_contracts.subjects import PARTITIONS, Subjects
from nemuri_contracts.tasks import TaskCompleted, TaskSummarised
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Service
from tests.contracts.examples import EXAMPLES


def test_a_service_has_one_durable_for_all_that_it_reacts_to() -> None:
    """As many at once as it allows; none if it reacts to nothing."""
    service = Service("clerk", at_once=3)
    assert service.durables(Subjects("z")) == ()
    service.handles(TaskSummarised, TaskCompleted)(_nothing)

    (durable,) = service.durables(Subjects("z"))

    assert (durable.name, durable.at_once) == ("clerk", 3)
    assert durable.subjects == ("z.task.*.task_summarised", "z.task.*.task_completed")


def test_who_hears_clients_hears_all_that_they_say() -> None:
    """Also what is no event of any kind, and nothing twice: the server takes no overlapping subjects."""
    service = Service("door", consumes_client_events=True)
    service.handles(TaskSubmitted, TaskCompleted)(_nothing)

    (durable,) = service.durables(Subjects("z"))

    assert durable.subjects == ("z.client.>", "z.task.*.task_completed")


def test_a_partitioned_service_has_one_at_a_time_in_each_group() -> None:
    """Together the groups hear every partition, each once."""
    service = Service("strength-sleep", groups=16)
    service.handles(SessionEnded)(_nothing)

    durables = service.durables(Subjects("z"))

    assert [each.at_once for each in durables] == [1] * 16
    assert len({each.name for each in durables}) == 16
    heard = [subject for each in durables for subject in each.subjects]
    assert sorted(heard) == sorted(f"z.agent.{number}.*.session_ended" for number in range(PARTITIONS))


def test_the_events_of_an_agent_share_a_partition() -> None:
    """Whatever their kind."""
    subjects = Subjects("z")

    found = {subjects.of(EXAMPLES[kind.kind_of()]).split(".")[2] for kind in (AgentSlept, MemoryEncoded, SessionEnded)}

    assert len(found) == 1


async def _nothing(event: Event, resources: Resources) -> None:
    """No outcome."""
