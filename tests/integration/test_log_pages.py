"""Pages of the log, forwards and backwards, and one event with its cause and its consequences."""

from uuid import uuid4

import pytest
from nats.aio.msg import Msg

from nemuri.admin.log_pages import LogFilter, LogPage, event_detail, log_page
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.operations.erasure import forget
from nemuri_contracts.client_events import MemoryContent, MemoryOffered, TaskSubmitted
from nemuri_contracts.strength import SessionEnded
from nemuri_infra.bus import pull_reader
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    append_all,
    connected_client,
    opened_log,
    recorded_events,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.connected


def session_ended() -> SessionEnded:
    """Return the end of a session of an agent."""
    return SessionEnded(event_id=uuid4(), agent_id="python", assignment_id=uuid4())


def memory_offered() -> MemoryOffered:
    """Return a memory that a client offers."""
    return MemoryOffered(
        event_id=uuid4(), agent_id="python", client_id="ann", memory=MemoryContent(content="Steel is hard.")
    )


async def pages_back(client: Client, condition: LogFilter, limit: int) -> list[LogPage]:
    """Return all pages from the newest to the oldest."""
    found = [await log_page(client, condition, limit=limit)]
    while (place := found[-1].older) is not None:
        found.append(await log_page(client, condition, before=place, limit=limit))
    return found


async def pages_forward(client: Client, condition: LogFilter, limit: int) -> list[LogPage]:
    """Return all pages from the oldest to the newest."""
    found = [await log_page(client, condition, after=0, limit=limit)]
    while (place := found[-1].newer) is not None:
        found.append(await log_page(client, condition, after=place, limit=limit))
    return found


def sequences(pages: list[LogPage]) -> list[int]:
    """Return the sequences of all events of some pages, page by page."""
    return [event.sequence for page in pages for event in page.events]


async def test_pages_of_one_kind_hold_every_event_once_in_both_directions(settings: Settings) -> None:
    """Pages backwards and forwards hold every event of a kind once, among bursts of others and deleted ones."""
    async with opened_log(settings) as log, connected_client(settings, "operator") as client:
        for burst in (3, 40, 1, 200, 7):
            await append_all(log, [session_ended() for _ in range(burst)])
            await append_all(log, [memory_offered() for _ in range(5)])
        for place in (2, 50, 110):
            await log.delete(place)
        events = await recorded_events(log)
        for condition, wanted in (
            (LogFilter(), events),
            (LogFilter(kinds=("memory_offered",)), [event for event in events if event.kind == "memory_offered"]),
            (LogFilter(kinds=("session_ended",)), [event for event in events if event.kind == "session_ended"]),
            (LogFilter(client="ann"), [event for event in events if isinstance(event, MemoryOffered)]),
        ):
            places = [event.sequence for event in wanted]
            assert sequences([*reversed(await pages_back(client, condition, 9))]) == places
            assert sequences(await pages_forward(client, condition, 9)) == places
            newest = await log_page(client, condition, limit=9)
            assert ([event.sequence for event in newest.events], newest.newer) == (places[-9:], None)
        assert (await log_page(client, LogFilter(client="bob"))).events == ()


async def test_the_newest_events_of_a_rare_kind_are_found_without_reading_the_others(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest page of a kind reads at most four times as many messages as it holds, however long the log is."""
    received = list[Msg]()
    add = pull_reader.Pull._add

    def counted(self: pull_reader.Pull, message: Msg) -> None:
        received.append(message)
        add(self, message)

    async with opened_log(settings) as log, connected_client(settings, "operator") as client:
        for _ in range(30):
            await append_all(log, [session_ended() for _ in range(100)])
            await append_all(log, [memory_offered() for _ in range(3)])
        monkeypatch.setattr(pull_reader.Pull, "_add", counted)
        page = await log_page(client, LogFilter(kinds=("memory_offered",)), limit=10)
        assert len(page.events) == 10
        assert len(received) <= 40


async def test_an_event_is_shown_with_its_cause_and_its_consequences(settings: Settings) -> None:
    """A task's events are one filtered page; each event names what caused it and what it caused, by sequence or id."""
    async with running_services(settings) as resources, connected_client(settings, "operator") as client:
        await resources.log.append(agent_defined())
        await client.settle()
        task = (await client.ask("What is truth value testing?", settled=True)).task_id
        await client.ask("Is an empty list true?", settled=True)
        await until_idle(resources)
        events = {each.event_id: each for each in await recorded_events(client.log)}

        of_task = (await log_page(client, LogFilter(task=task))).events
        assert [each.event_id for each in of_task] == [key for key, each in events.items() if each.thread == task]
        first = of_task[0]
        assert (first.kind, first.client_id, first.sources) == ("task_submitted", "operator", ("client",))
        assert {"intake"} <= {name for each in of_task for name in each.sources}
        kinds = LogFilter(task=task, kinds=("task_routed", "task_completed"))
        assert [each.kind for each in (await log_page(client, kinds)).events] == ["task_routed", "task_completed"]
        of_agent = await pages_back(client, LogFilter(agent="python"), 5)
        assert {each.agent_id for page in of_agent for each in page.events} == {"python"}
        assert sorted(sequences(of_agent)) == [each.sequence for each in events.values() if each.agent_id == "python"]

        shown = await event_detail(client, first.sequence)
        assert shown == await event_detail(client, first.event_id)
        assert shown.content["text"] == "What is truth value testing?"
        for each in of_task:
            detail = await event_detail(client, each.sequence)
            caused = [event for event in events.values() if event.causation_id == each.event_id]
            assert [line.event_id for line in detail.consequences] == [event.event_id for event in caused], caused
            assert (detail.cause.event_id if detail.cause else None) == each.causation_id
    await forget(settings, [Thing("task", task)])
    async with running_services(settings), connected_client(settings, "operator") as client:
        left = {each.kind for each in (await log_page(client, LogFilter(task=task))).events}
        assert left.isdisjoint({"task_submitted", "task_completed", "memories_retrieved"})
        for gone in (first.sequence, first.event_id):
            with pytest.raises(ClientError, match="was erased or never existed"):
                await event_detail(client, gone)


async def test_a_message_that_is_no_event_has_its_place_on_a_page(settings: Settings) -> None:
    """A message that cannot be decoded is a line of its own, with its reason, its subject and its text."""
    async with opened_log(settings) as log, connected_client(settings, "operator") as client:
        await log.append(TaskSubmitted(event_id=uuid4(), text="Is steel hard?", client_id="ann"))
        await log.stream.publish(log.subjects.of_client("ann", MemoryOffered), b"no JSON")
        page = await log_page(client)
        assert [event.kind for event in page.events] == ["task_submitted", None]
        detail = await event_detail(client, page.events[-1].sequence)
        assert detail.event.unreadable
        assert detail.content["text"] == "no JSON"


async def test_wrong_conditions_are_refused(settings: Settings) -> None:
    """Unknown kinds, two directions, a wrong size and a client together with an agent are refused in one line."""
    async with connected_client(settings, "operator") as client:
        for condition, bounds, said in (
            (LogFilter(kinds=("memory_dreamt",)), {}, "there is no kind of event 'memory_dreamt'"),
            (LogFilter(client="ann", agent="python"), {}, "not both"),
            (LogFilter(), {"before": 3, "after": 2}, "not both"),
            (LogFilter(), {"limit": 0}, "from 1 to 200"),
        ):
            with pytest.raises(ClientError, match=said):
                await log_page(client, condition, **bounds)
        with pytest.raises(ClientError, match="there is no event 7"):
            await event_detail(client, 7)
        assert (await log_page(client)) == LogPage(events=(), older=None, newer=None)
