"""An event that cannot be folded is parked by another event on the log. Every reader then leaves it out."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import uuid4

import pytest

from nemuri.operations.agent_history import AgentHistory
from nemuri.operations.erasure import forget
from nemuri.operations.export_import import export_log, import_log
from nemuri.operations.log_position_parsing import LogPosition
from nemuri.operations.park_event import park
from nemuri.operations.session import OperationError
from nemuri.operations.views import rebuild, verify
from nemuri.platform.serving import prepare
from nemuri_contracts.agents import AgentDefined
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.codec import encode
from nemuri_contracts.erasure import TaskErased
from nemuri_contracts.parked_events import EventParked
from nemuri_contracts.strength import AgentSlept, MemoryEncoded
from nemuri_contracts.wire_constants import NO_TASK
from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.vectors import vector_key
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    recorded_events,
    running_services,
    snapshot,
    until_idle,
)
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected
PROJECTOR = ["projector"]


def encoded(content: str) -> MemoryEncoded:
    """Return the event that encodes a memory added by hand."""
    return MemoryEncoded(
        event_id=uuid4(), agent_id="python", memory=MemoryContent(content=content),
        vector=vector_key("nemuri-words-3", 256, content), source="manual", strength=1.0, perspectives=(),
    )  # fmt: skip


async def append_unreadable(log: Log) -> int:
    """Append an event of the platform in a version that this code cannot read, and return its sequence."""
    subject = log.subjects.of_agent("python", MemoryEncoded).replace("*", NO_TASK)
    return (await log.stream.publish(subject, b'{"kind": "memory_encoded", "version": 99}')).seq


def halted_at(resources: Resources, sequence: int) -> Callable[[], Awaitable[bool]]:
    """Return a condition that is true once the views are halted at an event."""

    async def at_it() -> bool:
        """Return True if the views are halted at the event."""
        return (await resources.projection.position()).halted_at == sequence

    return at_it


async def contents(resources: Resources) -> set[str]:
    """Return the rows of all memories in the views, as JSON text."""
    return set((await snapshot(resources))["memory"])


async def test_the_views_continue_after_a_parked_event(settings: Settings, tmp_path: Path) -> None:
    """The views continue after an event is parked. `rebuild`, `verify`, past states and an import leave the event out
    too.
    """
    async with running_services(settings, PROJECTOR) as resources:
        log = resources.log
        await log.append(agent_defined())
        await log.append(encoded("before"))
        poison = await append_unreadable(log)
        later = await log.append(encoded("after"))
        await eventually(halted_at(resources, poison))
        assert (await resources.projection.position()).sequence == poison - 1
        assert (await verify(settings)).halted_at == poison
        with pytest.raises(OperationError, match=f"event {poison} on .* cannot be read"):
            await rebuild(settings)

        done = await park(settings, poison, "of a version that was withdrawn")

        assert (done.projected, done.event.parked_kind, done.erases) == (later + 1, None, False)
        await log.append(encoded("long after"))
        await until_idle(resources, PROJECTOR)
        assert (await resources.projection.position()).halted is None
        assert len(await contents(resources)) == 3
        await assert_verified(settings)
        before = await snapshot(resources)
        await rebuild(settings)
        assert await snapshot(resources) == before
        past = await AgentHistory(log, "python").at(LogPosition(str(later), later))
        assert len(past.mind.memories) == 2
        assert await export_log(settings, tmp_path / "log.jsonl", lambda *_: None) == 5
    other = settings.model_copy(update={"namespace": f"{settings.namespace}-other"})
    await prepare(other)
    assert await import_log(other, tmp_path / "log.jsonl", lambda *_: None) == 5
    async with running_services(other, PROJECTOR) as resources:
        await append_unreadable(resources.log)
        await eventually(
            halted_at(resources, 6)
        )  # The imported `event_parked` applies to an earlier event only, so the views halt at this one.
        assert len(await contents(resources)) == 3
        assert [event.kind for event in await effective_events(resources.log)].count("event_parked") == 1


async def test_only_the_event_that_halts_the_views_is_parked(settings: Settings) -> None:
    """Only the event that halts the views can be parked. Any other is refused in one line, and nothing is appended."""
    async with running_services(settings, PROJECTOR) as resources:
        await resources.log.append(agent_defined())
        await until_idle(resources, PROJECTOR)
        for sequence in (1, 99):
            with pytest.raises(OperationError, match="the views are halted at no event"):
                await park(settings, sequence, "by mistake")
        with pytest.raises(OperationError, match="there is no event 99"):
            await park(settings, 99, "by mistake", folded=True)
        poison = await append_unreadable(resources.log)
        await eventually(halted_at(resources, poison))
        with pytest.raises(OperationError, match=f"the views are halted at event {poison}"):
            await park(settings, 1, "by mistake")
        assert await resources.log.last_sequence() == poison
        second = await append_other_unreadable(resources.log)
        with pytest.raises(OperationError, match=f"event {poison} is parked, but then: event {second} on"):
            await park(settings, poison, "the first of two")
        await eventually(halted_at(resources, second))
        await park(settings, second, "the second of two")
        with pytest.raises(OperationError, match="parks another event"):
            await park(settings, second + 1, "by mistake", folded=True)
        await until_idle(resources, PROJECTOR)
    await assert_verified(settings)


async def test_services_continue_after_a_parked_event(settings: Settings) -> None:
    """Services handle the events after a parked one, whether they could read the parked event or not."""
    async with running_services(settings, PROJECTOR) as resources:
        log = resources.log
        await log.append(agent_defined())
        readable = await log.append(encoded("not to be"))
        await until_idle(resources, PROJECTOR)
        await park(settings, readable, "a mistake", folded=True)
        poison = (await log.stream.publish(log.subjects.of_agent("python", AgentSlept), b"{}")).seq
        await eventually(halted_at(resources, poison))
        await park(settings, poison, "of a version that was withdrawn")
    async with running_services(settings) as resources, connected_client(settings) as client:
        await client.ask("What is a serpentino?", settled=True)
        await until_idle(resources)
    await assert_verified(settings)


async def append_other_unreadable(log: Log) -> int:
    """Append an unreadable event of another kind and return its sequence."""
    return (await log.stream.publish(log.subjects.of_agent("python", AgentDefined), b"{}")).seq


async def test_parking_a_folded_event_rebuilds_the_views(settings: Settings) -> None:
    """If an event is parked after it was folded, the projector rebuilds the views without it. The event counts if it is
    appended again.
    """
    async with running_services(settings, PROJECTOR) as resources:
        await resources.log.append(agent_defined())
        event = encoded("not to be")
        sequence = await resources.log.append(event)
        await resources.log.append(encoded("to be"))
        await until_idle(resources, PROJECTOR)
        parked = EventParked(event_id=uuid4(), parked_id=event.event_id, parked_kind=event.kind, why="a mistake")
        await resources.log.append(parked)
        await until_idle(resources, PROJECTOR)
        assert len(await contents(resources)) == 1
        await assert_verified(settings)
        assert sequence in {each.sequence for each in await all_events(resources)}, "a parked event stays on the log"
        again = await resources.log.stream.publish(resources.log.subjects.of(event), encode(event))
        await until_idle(resources, PROJECTOR)
        assert again.seq == 5
        assert len(await contents(resources)) == 2
        await park(settings, again.seq, "a mistake again", folded=True)
        await until_idle(resources, PROJECTOR)
        assert len(await contents(resources)) == 1
    await assert_verified(settings)


async def all_events(resources: Resources) -> list[AgentDefined]:
    """Return every event on the log, parked ones included."""
    log = resources.log
    batches = [each async for each in log.read(0, await log.last_sequence(), with_parked=True)]
    return [event for batch in batches for event in batch.events]  # type: ignore[misc]


async def test_a_parked_event_is_erased_with_its_task(servers: Servers, settings: Settings) -> None:
    """A parked event is erased with its task. Parking an event of an erasure reports that this event erases data."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        task = await client.ask("What is a serpentino?", settled=True)
        await until_idle(resources)
        [answered] = [event for event in await recorded_events(resources.log) if event.kind == "task_completed"]
        await park(settings, answered.sequence or 0, "for the test", folded=True)
        await resources.log.append(TaskErased(event_id=uuid4(), correlation_id=task.task_id))
        await until_idle(resources)
        last = await resources.log.last_sequence()
        assert (await park(settings, last, "for the test", folded=True)).erases
        await until_idle(resources)
        await forget(settings, [Thing("task", task.task_id)])
        await until_idle(resources)
        left = [event.kind for event in await all_events(resources) if event.thread == task.task_id]
        assert "task_completed" not in left
        assert "task_submitted" not in left
    await assert_verified(settings)
