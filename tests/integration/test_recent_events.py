"""Every process holds the newest events of the log in memory, without gaps, or it knows that it does not."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from uuid import uuid4

import pytest
from nats.aio.msg import Msg

from nemuri.platform.serving import prepare
from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.codec import encode
from nemuri_contracts.erasure import AgentErased, MemoriesErased, TaskErased
from nemuri_contracts.event import Event
from nemuri_contracts.parked_events import EventParked
from nemuri_contracts.strength import SessionEnded
from nemuri_contracts.tasks import TaskFailed
from nemuri_infra.bus import recent_events
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.recent_events import ARRIVAL_SECONDS, RecentEvents
from nemuri_infra.runtime.provisioning import APPENDED
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    append_all,
    assert_verified,
    connected_client,
    eventually,
    opened_log,
    recorded_events,
    running_services,
    until_idle,
)
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected


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


@asynccontextmanager
async def opened_window(settings: Settings) -> AsyncIterator[RecentEvents]:
    """Yield a window that begins after the present end of the log."""
    async with opened_log(settings) as log:
        recent = RecentEvents(log)
        end = await log.last_sequence()
        assert await recent.wait(end or await log.append(agent_defined("first")))
        yield recent
        await recent.close()


async def test_the_window_contains_every_event_since_it_began(settings: Settings) -> None:
    """The window contains all events after its beginning, in order, and none before."""
    tasks = [submitted() for _ in range(20)]
    async with opened_log(settings) as log:
        await append_all(log, [agent_defined("old"), submitted()])
    async with opened_window(settings) as recent:
        await append_all(recent.log, [agent_defined("python"), *tasks])
        await append_all(recent.log, map(failed, tasks))
        end = await recent.log.last_sequence()
        assert await recent.wait(end)
        events = await recorded_events(recent.log)
    assert (recent.began, recent.after, recent.sequence) == (2, 2, end)
    assert [recent.covers(each) for each in range(1, end + 2)] == [False] * 2 + [True] * (end - 2) + [False]
    assert [recent.first(each.event_id) for each in events] == [None, None, *range(3, end + 1)]
    for task in tasks:
        assert list(recent.of_task(task.event_id)) == [each for each in events if each.thread == task.event_id]
    [defined] = [each.sequence or 0 for each in events if each.agent_id == "python"]
    assert recent.last_change("python") == recent.last_change("python", {"agent_defined"}) == defined
    assert recent.last_change("python", {"agent_slept"}) == recent.last_change("old") == recent.after
    assert recent.changed_since("python", defined - 1)
    assert not recent.changed_since("python", defined)
    assert not recent.changed_since("python", recent.after, {"agent_slept"})
    assert not recent.changed_since("old", recent.after)
    assert recent.changed_since("old", recent.after - 1), "the window cannot know what was before"
    assert recent.changed_agents(recent.after, {"agent_defined"}) == {"python"}
    assert recent.changed_agents(recent.after - 1, {"agent_defined"}) is None


async def test_a_repeated_event_is_contained_once(settings: Settings) -> None:
    """The first event with an id counts. Its repetition changes neither the id's sequence nor the task."""
    task = submitted()
    async with opened_window(settings) as recent:
        first = await recent.log.append(task)
        copy = await append_copy(recent.log, task)
        assert await recent.wait(copy)
    assert first < copy
    assert recent.first(task.event_id) == first
    assert [each.sequence for each in recent.of_task(task.event_id)] == [first]


async def test_the_window_begins_again_after_a_lost_message(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a lost message the window contains only the events after it."""
    receive, lost = RecentEvents._receive, set[int]()

    async def lossy(recent: RecentEvents, message: Msg) -> None:
        if message.metadata.sequence.stream not in lost:
            await receive(recent, message)

    monkeypatch.setattr(RecentEvents, "_receive", lossy)
    before, gone, after = submitted(), submitted(), submitted()
    async with opened_window(settings) as recent:
        known = await recent.log.append(before)
        assert await recent.wait(known)
        assert recent.covers(known)
        lost.add(known + 1)
        await recent.log.append(gone)
        last = await recent.log.append(after)
        assert await recent.wait(last)
    assert (recent.began, recent.after) == (known + 1, known + 1)
    assert [recent.covers(each) for each in (known, known + 1, last)] == [False, False, True]
    assert [recent.first(each.event_id) for each in (before, gone, after)] == [None, None, last]
    assert not recent.of_task(before.event_id)
    assert recent.of_task(after.event_id)


Append = Callable[[Log, TaskSubmitted], Awaitable[int]]


def appending(event: Callable[[TaskSubmitted], Event]) -> Append:
    """Return a function that appends an event made from a task."""

    async def append(log: Log, task: TaskSubmitted) -> int:
        return await log.append(event(task))

    return append


async def append_undecodable_event(log: Log, _: TaskSubmitted) -> int:
    """Append a message of a service that is no event."""
    return (await log.stream.publish(log.subjects.of_agent("python", SessionEnded), b"{}")).seq


async def append_undecodable_client_message(log: Log, _: TaskSubmitted) -> int:
    """Append a message of a client that is no event."""
    return (await log.stream.publish(log.subjects.of_client("mallory", TaskSubmitted), b"{}")).seq


@pytest.mark.parametrize(
    "append",
    [
        pytest.param(
            appending(lambda each: TaskErased(event_id=uuid4(), correlation_id=each.event_id)), id="task erased"
        ),
        pytest.param(appending(lambda _: AgentErased(event_id=uuid4(), agent_id="python")), id="agent erased"),
        pytest.param(
            appending(lambda _: MemoriesErased(event_id=uuid4(), agent_id="python", memory_ids=(uuid4(),))),
            id="memories erased",
        ),
        pytest.param(
            appending(
                lambda each: EventParked(
                    event_id=uuid4(), parked_id=each.event_id, parked_kind="task_submitted", why="it cannot be folded"
                )
            ),
            id="event parked",
        ),
        pytest.param(append_undecodable_event, id="undecodable event of a service"),
    ],
)  # fmt: skip
async def test_the_window_begins_again_after_what_only_projections_know(settings: Settings, append: Append) -> None:
    """After a tombstone, a parked event or an undecodable event of a service the window contains only what follows."""
    before, after = submitted(), submitted()
    async with opened_window(settings) as recent:
        known = await recent.log.append(before)
        changed = await append(recent.log, before)
        last = await recent.log.append(after)
        assert await recent.wait(last)
    assert (recent.began, recent.after) == (changed, changed)
    assert [recent.covers(each) for each in (known, changed, last)] == [False, False, True]
    assert [recent.first(each.event_id) for each in (before, after)] == [None, last]
    assert not recent.of_task(before.event_id)


async def test_an_undecodable_client_message_does_not_end_the_window(settings: Settings) -> None:
    """An undecodable message of a client has no effect on the window, as on the projections."""
    before, after = submitted(), submitted()
    async with opened_window(settings) as recent:
        began = recent.began
        known = await recent.log.append(before)
        nonsense = await append_undecodable_client_message(recent.log, before)
        assert await recent.wait(nonsense)
        last = await recent.log.append(after)
        assert await recent.wait(last)
    assert (recent.began, recent.after) == (began, began)
    assert recent.covers(known)
    assert [recent.first(each.event_id) for each in (before, after)] == [known, last]


@pytest.mark.parametrize("limit", ["MAX_EVENTS", "MAX_BYTES"])
async def test_the_oldest_events_leave_a_full_window(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """The window holds at most so many events and bytes. What left it is forgotten, and the rest is without gaps."""
    tasks = [submitted() for _ in range(6)]
    monkeypatch.setattr(recent_events, limit, 4 if limit == "MAX_EVENTS" else 4 * len(encode(tasks[0])))
    async with opened_window(settings) as recent:
        began = recent.began
        defined = await recent.log.append(agent_defined("python"))
        places = [await recent.log.append(each) for each in tasks]
        assert await recent.wait(places[-1])
    assert recent.began == began
    assert recent.after == places[1]
    assert [recent.covers(each) for each in (defined, *places)] == [False] * 3 + [True] * 4
    assert [recent.first(each.event_id) for each in tasks] == [None, None, *places[2:]]
    assert [len(recent.of_task(each.event_id)) for each in tasks] == [0, 0, 1, 1, 1, 1]
    assert recent.last_change("python") == recent.after
    assert recent.changed_since("python", defined)


async def test_the_window_goes_on_after_a_restart_of_the_server(own_servers: Servers) -> None:
    """After a killed nats-server has started again, the window contains new events without a gap."""
    settings = own_servers.settings()
    await prepare(settings)
    async with opened_window(settings) as recent:
        for _ in range(3):
            assert await recent.wait(await recent.log.append(submitted()))
        await own_servers.nats.kill()
        await own_servers.nats.start()
        async with opened_log(settings) as other:
            missed = [await other.append(submitted()) for _ in range(3)]

            async def arrived() -> bool:
                """Return True once the window has an event that was appended after the restart."""
                await other.append(submitted())
                return recent.sequence > missed[-1]

            await eventually(arrived)
            end = await other.append(submitted())
            assert await recent.wait(end)
            events = await recorded_events(other)
    assert recent.covers(end)
    for each in events:
        place = each.sequence or 0
        assert recent.first(each.event_id) == (place if place > recent.after else None)


async def test_services_go_on_after_a_restart_of_the_server(own_servers: Servers) -> None:
    """After a killed nats-server has started again, tasks are done, and services find them in the window."""
    settings = own_servers.settings()
    await prepare(settings)
    async with running_services(settings) as resources:
        await resources.log.append(agent_defined())
        async with connected_client(settings) as client:
            assert (await client.ask("What is truth value testing?", settled=True)).status == "done"
        await own_servers.nats.kill()
        await own_servers.nats.start()
        async with connected_client(settings) as client:
            for _ in range(2):
                result = await client.ask("What is truth value testing?", settled=True, timeout=60)
                assert result.status == "done"
        await until_idle(resources)
        end = await resources.log.last_sequence()
        assert await resources.views.recent.wait(end)
        assert await resources.views.tasks.state(result.task_id, end) is not None
    await assert_verified(settings)


async def test_nobody_waits_for_a_window_that_is_behind(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """While events arrive late, one caller waits in vain, and the others are told at once until it has caught up."""
    receive, allowed = RecentEvents._receive, asyncio.Semaphore(0)

    async def slow(recent: RecentEvents, message: Msg) -> None:
        await allowed.acquire()
        await receive(recent, message)

    monkeypatch.setattr(RecentEvents, "_receive", slow)
    async with opened_window(settings) as recent:
        log = recent.log
        places = [await log.append(submitted()) for _ in range(20)]
        allowed.release()  # for the event before the window
        assert not await recent.wait(places[-1])
        async with asyncio.timeout(10 * ARRIVAL_SECONDS):
            for place in places[:-1]:
                allowed.release()
                await eventually(partial(has_arrived, recent, place))
                assert not await recent.wait(places[-1])
        allowed.release()
        await eventually(partial(has_arrived, recent, places[-1]))
        later = await log.append(submitted())
        allowed.release()
        assert await recent.wait(later), "it has caught up"


async def has_arrived(recent: RecentEvents, sequence: int) -> bool:
    """Return True if the event with this sequence has arrived."""
    return recent.sequence >= sequence


async def test_services_do_without_the_consumer_that_sends_events(settings: Settings) -> None:
    """If no event arrives, the first caller waits for it in vain and all others use the projections at once. The next
    event that arrives ends this.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        log, recent = resources.log, resources.views.recent
        await log.append(agent_defined())
        await client.ask("What is truth value testing?", settled=True)
        await until_idle(resources)
        await log.stream.delete_consumer(log.subjects.stream, APPENDED)
        missed = await log.append(submitted())
        assert not await recent.wait(missed)
        async with asyncio.timeout(ARRIVAL_SECONDS):
            for _ in range(100):
                assert not await recent.wait(missed)
        result = await client.ask("What is truth value testing?", settled=True)
        assert result.status == "done"
        assert recent.sequence < missed
        assert await resources.views.tasks.state(result.task_id, missed + 1) is None
        await until_idle(resources)

        await prepare(settings)
        again = await client.ask("What is truth value testing?", settled=True)
        end = await log.last_sequence()
        assert await recent.wait(end)
        assert recent.began > missed
        assert await resources.views.tasks.state(again.task_id, end) is not None
    await assert_verified(settings)
