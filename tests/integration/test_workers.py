"""Several workers of a service share its events. An event that one worker handles is not delivered to another."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import pytest
from nats.js.api import AckPolicy, ConsumerConfig

from nemuri.platform.serving import run_services
from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.strength import SessionEnded
from nemuri_infra.runtime.faststream_application import application
from nemuri_infra.runtime.provisioning import provision
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.service import Service
from nemuri_infra.runtime.settings import Settings
from tests.condition_waits import PATIENCE
from tests.integration.harness import eventually

pytestmark = pytest.mark.connected
CONCURRENT_EVENTS = 2


@dataclass
class BlockingService:
    """A service whose handlers wait until the test releases them."""

    started: list[UUID] = field(default_factory=list)
    max_working: Counter[str] = field(default_factory=Counter)
    """Largest number of events that each worker has handled at the same time."""
    working: Counter[str] = field(default_factory=Counter)
    release: asyncio.Event = field(default_factory=asyncio.Event)

    def worker(self, name: str) -> Service:
        """Return a worker of this service. All its workers share one durable consumer."""
        service = Service("desk", concurrency=CONCURRENT_EVENTS)

        @service.handles(TaskSubmitted)
        async def take(event: TaskSubmitted, resources: Resources) -> None:
            self.started.append(event.event_id)
            self.working[name] += 1
            self.max_working[name] = max(self.max_working[name], self.working[name])
            await self.release.wait()
            self.working[name] -= 1

        return service

    async def until_started(self, number: int) -> None:
        """Return once handlers have begun `number` events."""
        async with asyncio.timeout(PATIENCE):
            while len(self.started) < number:  # noqa: ASYNC110 - no notification exists
                await asyncio.sleep(0.02)


@asynccontextmanager
async def running_workers(
    service_under_test: BlockingService, settings: Settings, workers: int
) -> AsyncIterator[Resources]:
    """Run `workers` workers of the service, and yield their resources. Releases the handlers afterwards."""
    async with open_resources(settings) as resources, run_services(resources, ["projector"]), AsyncExitStack() as stack:
        durable = service_under_test.worker("none").durable(resources.log.subjects)
        await provision(resources.log, filter(None, [durable]), ack_wait=settings.ack_wait)
        for number in range(workers):
            app = application(service_under_test.worker(f"worker-{number}"), resources)
            await stack.enter_async_context(app.lifespan_context())
            await app.start()
            stack.push_async_callback(app.stop)
        try:
            yield resources
        finally:
            service_under_test.release.set()


async def until_redelivered(resources: Resources, ack_wait: float, times: int) -> None:
    """Return once the server has redelivered an event so many times to a consumer that never acknowledges it."""
    wanted = ConsumerConfig(
        durable_name="forgetful", ack_policy=AckPolicy.EXPLICIT, ack_wait=ack_wait, max_ack_pending=1
    )
    await resources.log.stream.add_consumer(resources.log.subjects.stream, wanted)
    forgetful = await resources.log.stream.pull_subscribe_bind(
        durable="forgetful", stream=resources.log.subjects.stream
    )
    delivered = [message for _ in range(1 + times) for message in await forgetful.fetch(1, timeout=30)]
    assert [message.metadata.num_delivered for message in delivered] == [*range(1, 2 + times)]


async def test_two_workers_have_twice_as_much_in_work(settings: Settings) -> None:
    """Two workers handle twice as many events at the same time as one, and neither exceeds its limit."""
    service_under_test = BlockingService()
    async with running_workers(service_under_test, settings, 2) as resources:
        for _ in range(9):
            await resources.log.append(TaskSubmitted(event_id=uuid4(), client_id="ann", text="How are you?"))
        await service_under_test.until_started(2 * CONCURRENT_EVENTS)
        assert service_under_test.working == {"worker-0": CONCURRENT_EVENTS, "worker-1": CONCURRENT_EVENTS}
        service_under_test.release.set()
        await service_under_test.until_started(9)
    assert set(service_under_test.max_working.values()) == {CONCURRENT_EVENTS}


async def test_an_event_held_by_a_busy_worker_is_not_redelivered(settings: Settings) -> None:
    """An event that a busy worker holds for longer than the acknowledgement timeout is not redelivered."""
    short = settings.model_copy(update={"ack_wait": 1.5})
    service_under_test = BlockingService()
    async with running_workers(service_under_test, short, 1) as resources:
        said = [TaskSubmitted(event_id=uuid4(), client_id="ann", text="How are you?") for _ in range(6)]
        for event in said:
            await resources.log.append(event)
        await service_under_test.until_started(CONCURRENT_EVENTS)
        info = await resources.log.stream.consumer_info(resources.log.subjects.stream, "desk")
        await until_redelivered(resources, short.ack_wait, times=2)
        service_under_test.release.set()
        await service_under_test.until_started(len(said))
        ended = await resources.log.stream.consumer_info(resources.log.subjects.stream, "desk")
    assert sorted(service_under_test.started) == sorted(event.event_id for event in said)
    assert info.num_redelivered == ended.num_redelivered == 0


@dataclass
class Concurrency:
    """The events of agents that a service handles at the same time."""

    working: Counter[str] = field(default_factory=Counter)
    max_working: Counter[str] = field(default_factory=Counter)
    max_together: int = 0
    done: int = 0

    def worker(self) -> Service:
        """Return a service that handles one event of an agent at a time."""
        service = Service("clerk", one_per_agent=True)

        @service.handles(SessionEnded)
        async def take(event: SessionEnded, resources: Resources) -> None:
            agent = event.agent_id
            self.working[agent] += 1
            self.max_working[agent] = max(self.max_working[agent], self.working[agent])
            self.max_together = max(self.max_together, self.working.total())
            await resources.log.last_sequence()  # so that others could begin meanwhile
            self.working[agent] -= 1
            self.done += 1

        return service


async def test_a_worker_handles_one_event_of_an_agent_at_a_time(settings: Settings) -> None:
    """A worker of such a service handles the events of one agent one after the other, and those of several together."""
    seen, agents, each = Concurrency(), ("ann", "bob", "cleo"), 12
    async with open_resources(settings) as resources, run_services(resources, ["projector"]):
        durable = seen.worker().durable(resources.log.subjects)
        await provision(resources.log, filter(None, [durable]), ack_wait=settings.ack_wait)
        for agent in agents * each:
            await resources.log.append(SessionEnded(event_id=uuid4(), agent_id=agent, assignment_id=uuid4()))
        app = application(seen.worker(), resources)
        async with app.lifespan_context():
            await app.start()

            async def all_done() -> bool:
                """Return True if every event was handled."""
                return seen.done == len(agents) * each

            await eventually(all_done)
            await app.stop()
    assert seen.max_working == dict.fromkeys(agents, 1)
    assert seen.max_together > 1
