"""The log stores every acknowledged event once and in order, and readers miss none: on a server and in memory."""

import asyncio
import time
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from nemuri_contracts.client_events import MemoryContent, MemoryOffered, TaskSubmitted
from nemuri_contracts.codec import encode
from nemuri_contracts.event import Event, derive
from nemuri_contracts.strength import AgentSlept, SessionEnded
from nemuri_infra.bus import pull_reader
from nemuri_infra.bus.event_log import ConflictError, Log, TooLargeError
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import append_all, opened_log, recorded_events

pytestmark = pytest.mark.connected


@pytest.fixture(params=["stored_settings", "memory_settings"])
def either(request: pytest.FixtureRequest) -> Settings:
    """Settings of a log on a server, and of one in memory: both keep the same promises."""
    found: Settings = request.getfixturevalue(request.param)
    return found


def task_submitted(text: str = "What is truth?") -> TaskSubmitted:
    """Return a submitted task."""
    return TaskSubmitted(event_id=uuid4(), text=text, client_id="ann")


def session_ended(agent_id: str = "python") -> SessionEnded:
    """Return the end of a session."""
    return SessionEnded(event_id=uuid4(), agent_id=agent_id, assignment_id=uuid4())


def agent_slept(cause: SessionEnded) -> AgentSlept:
    """Return the event of a sleep that covers one session."""
    return AgentSlept.following(cause, sessions=(cause.assignment_id,))


async def delete_message(log: Log, sequence: int) -> None:
    """Delete one message from the log."""
    await log.delete(sequence)


async def test_a_repeated_append_stores_the_event_once(either: Settings) -> None:
    """A repeated append stores the event once and returns the same sequence."""
    async with opened_log(either) as log:
        event = task_submitted()
        first = await log.append(event)
        assert await log.append(event) == first
        assert [each.event_id for each in await recorded_events(log)] == [event.event_id]


async def test_an_append_with_an_outdated_revision_is_refused(either: Settings) -> None:
    """An append whose expected sequence of its subject is outdated is refused, whatever other subjects contain."""
    async with opened_log(either) as log:
        ends = [session_ended() for _ in range(2)]
        await append_all(log, ends)
        first = await log.append(agent_slept(ends[0]), expected=0)
        await append_all(log, [session_ended(), task_submitted()])
        with pytest.raises(ConflictError, match="agent_slept of python was decided on an outdated state"):
            await log.append(agent_slept(ends[1]), expected=0)
        assert await log.append(agent_slept(ends[1]), expected=first) > first


async def test_a_repeated_conditional_append_returns_the_first_sequence(either: Settings) -> None:
    """A conditional append that is repeated returns the first sequence, because the log recognises the event id."""
    async with opened_log(either) as log:
        event = agent_slept(session_ended())
        first = await log.append(event, expected=0)
        assert await log.append(event, expected=0) == first
        assert len(await recorded_events(log)) == 1


async def test_a_repeated_conditional_append_is_known_after_others_have_followed(either: Settings) -> None:
    """An append whose answer was lost is not refused because another has been appended after it."""
    async with opened_log(either) as log:
        event, other, late = (agent_slept(session_ended()) for _ in range(3))
        first = await log.append(event, expected=0)
        await log.append(other, expected=first)
        assert await log.append(event, expected=0) == first
        with pytest.raises(ConflictError):
            await log.append(late, expected=0)


async def test_a_reader_skips_deleted_events_up_to_a_given_end(either: Settings) -> None:
    """A reader skips deleted events and ends at the given sequence, even if the last events are deleted."""
    async with opened_log(either) as log:
        events = [task_submitted(str(number)) for number in range(40)]
        places = [await log.append(each) for each in events]
        gone = {0, 1, 17, 18, 19, 38, 39}
        for each in gone:
            await delete_message(log, places[each])
        batches = [batch async for batch in log.read(0, places[-1])]
        assert batches[-1].until == places[-1]
        assert [each.event_id for batch in batches for each in batch.events] == [
            event.event_id for number, event in enumerate(events) if number not in gone
        ]


async def test_a_reader_of_deleted_events_only_ends(either: Settings) -> None:
    """A reader ends at the given sequence even if all events up to it are deleted."""
    async with opened_log(either) as log:
        places = [await log.append(task_submitted()) for _ in range(3)]
        for place in places:
            await delete_message(log, place)
        assert [(batch.events, batch.until) async for batch in log.read(0, places[-1])] == [((), places[-1])]


async def test_a_reader_of_some_subjects_gets_no_other_events(either: Settings) -> None:
    """A reader of one agent's subjects gets only events of that agent, and ends at the given sequence."""
    async with opened_log(either) as log:
        own = [session_ended(), session_ended(), session_ended()]
        for each in (
            session_ended("other"),
            own[0],
            task_submitted(),
            own[1],
            session_ended("python2"),
            own[2],
            session_ended("other"),
        ):
            await log.append(each)
        await delete_message(log, 6)
        batches = [batch async for batch in log.read(0, 7, only=[log.subjects.agent_events("python")])]
        found = [event.event_id for batch in batches for event in batch.events]
        assert found == [own[0].event_id, own[1].event_id]
        assert batches[-1].until == 7
        assert not [each for batch in batches for each in batch.unreadable]


async def test_a_reader_reaches_the_end_of_thousands_of_events(either: Settings) -> None:
    """A reader of thousands of events gets each one once, in order, from any start up to the end."""
    async with opened_log(either) as log:
        events: list[Event] = [task_submitted(str(number)) for number in range(3_200)]
        await append_all(log, events)
        seen = await recorded_events(log)
        assert [event.sequence for event in seen] == list(range(1, len(events) + 1))
        assert {event.event_id for event in seen} == {event.event_id for event in events}
        rest = [event async for batch in log.read(1_999, 3_001) for event in batch.events]
        assert [event.sequence for event in rest] == list(range(2_000, 3_002))


async def test_a_blocked_reader_reads_what_arrived_meanwhile(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader whose process was blocked for a while gets the messages that arrived meanwhile."""
    monkeypatch.setattr(pull_reader, "CHECK_SECONDS", 0.25)
    async with opened_log(settings) as log:
        place = await log.append(task_submitted())
        async with pull_reader.Pull.of(log.connection, log.stream, log.subjects.stream, after=0) as pull:
            reading = asyncio.ensure_future(pull.present())
            while not pull.asked:  # noqa: ASYNC110 - no notification exists
                await asyncio.sleep(0)
            time.sleep(0.25 * (pull_reader.MAX_SILENT_CHECKS + 2))  # noqa: ASYNC251 - blocks on purpose
            assert [each.metadata.sequence.stream for each in await reading] == [place]


async def test_a_reader_gets_large_messages_without_losing_any(settings: Settings) -> None:
    """A reader gets messages that together exceed the client's buffer without losing any."""
    async with opened_log(settings) as log:
        garbage = b"\xff" * 900_000
        for _ in range(160):
            await log.stream.publish(f"{settings.namespace}.client.-.liar.task_submitted", garbage)
        last = await log.append(task_submitted())
        batches = [batch async for batch in log.read(0, last)]
        assert sum(len(batch.unreadable) for batch in batches) == 160
        assert [event.sequence for batch in batches for event in batch.events] == [last]


async def test_a_message_with_the_headers_of_a_status_is_skipped(settings: Settings) -> None:
    """A client's message with the headers of a server status is reported as unreadable, and the reader continues."""
    async with opened_log(settings) as log:
        subject = f"{settings.namespace}.client.-.liar.task_submitted"
        for status in ("404", "408", "409", "503", "100"):
            await log.stream.publish(subject, b"", headers={"Status": status, "Description": "Consumer Deleted"})
        last = await log.append(task_submitted())
        [batch] = [batch async for batch in log.read(0, last)]
        assert len(batch.unreadable) == 5
        assert [event.sequence for event in batch.events] == [last]


async def test_an_event_larger_than_a_message_is_refused_before_it_is_sent(either: Settings) -> None:
    """An event above the server's size limit is refused before it is sent, and the connection stays open."""
    async with opened_log(either) as log:
        memory = MemoryContent(content="x", learnings={str(number): "y" * 40_000 for number in range(32)})
        with pytest.raises(TooLargeError, match="a memory_offered of 128"):
            await log.append(MemoryOffered(event_id=uuid4(), agent_id="python", memory=memory))
        assert await log.append(task_submitted()) == 1


async def test_a_reader_without_an_end_yields_later_events(either: Settings) -> None:
    """A reader without an end yields events as they are appended."""
    async with opened_log(either) as log:
        reading = log.read()
        first = await log.append(task_submitted("first"))
        assert (await anext(reading)).until == first
        second = await log.append(task_submitted("second"))
        assert (await anext(reading)).until == second
        await reading.aclose()


async def test_the_client_of_an_event_comes_from_its_subject(settings: Settings) -> None:
    """The client of an event comes from its subject, whatever its body says."""
    async with opened_log(settings) as log:
        offered = MemoryOffered(
            event_id=uuid4(), agent_id="python", memory=MemoryContent(content="salt"), client_id="x"
        )
        body = encode(offered).replace(b'{"event_id"', b'{"client_id":"root","event_id"')
        await log.stream.publish(f"{settings.namespace}.client.-.bob.memory_offered", body)
        [event] = await recorded_events(log)
        assert isinstance(event, MemoryOffered)
        assert event.client_id == "bob"
        assert event.at <= datetime.now(UTC)


def test_derived_ids_differ_by_kind_cause_and_number() -> None:
    """Derived ids are equal if cause, kind and number are equal, and differ otherwise."""
    key = uuid4()
    same = {derive(key, "a"), derive(key, "a", 0)}
    assert len(same) == 1
    assert len({*same, derive(key, "a", 1), derive(key, "b"), derive(uuid4(), "a")}) == 4


async def test_a_reader_repeats_its_request_until_its_consumer_is_found(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader repeats its request until the server knows its new consumer. It ends at once if a known consumer is
    gone.
    """
    monkeypatch.setattr(pull_reader, "REPEAT_SECONDS", 0.01)
    async with opened_log(settings) as log:
        await log.append(task_submitted())
        async with pull_reader.Pull.of(log.connection, log.stream, log.subjects.stream, after=0) as pull:
            known, pull.source = pull.source, "nobody.listens.here"
            coming = asyncio.create_task(pull.present())
            async with asyncio.timeout(10):
                while not pull.unheard:  # noqa: ASYNC110 - no notification exists
                    await asyncio.sleep(0)
            pull.source = known
            assert len(await coming) == 1
            pull.source = "nobody.listens.here"
            before = pull.unheard
            with pytest.raises(pull_reader.InterruptedPullError, match="503"):
                await pull.present()
            assert pull.unheard == before
        async with pull_reader.Pull.of(log.connection, log.stream, log.subjects.stream, after=0) as pull:
            pull.source = "nobody.listens.here"
            with pytest.raises(pull_reader.InterruptedPullError, match="503"):
                await pull.present()
            assert pull.unheard == pull_reader.MAX_UNANSWERED
