"""What agents say stays on record when a host, or the whole society, is killed: all but the last second, and once."""

import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from nats.aio.msg import Msg

from nemuri_society.contracts.record import record_events
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.contracts.world_protocol import Acts, Say
from nemuri_society.stores.society_record import SocietyRecord, StoredEvent
from tests.faults.societies import NAME, RunningSociety, kill
from tests.integration.harness import eventually, retried

pytestmark = [pytest.mark.connected, pytest.mark.xdist_group("society kills"), pytest.mark.long]
LOST_SECONDS = 1.0
"""Seconds before a kill of which the record may lose what happened."""
Said = list[tuple[float, str, str]]
"""Monotonic time, agent and text of each utterance that a host sent to the world."""


@asynccontextmanager
async def listening(running: RunningSociety) -> AsyncIterator[Said]:
    """Yield everything that the agents say while the context lasts."""
    said: Said = []

    async def hear(message: Msg) -> None:
        for act in Acts.model_validate_json(message.data).acts:
            if isinstance(act.act, Say):
                said.append((time.monotonic(), act.agent_id, act.act.text))

    subject = SocietySubjects(running.log.subjects.namespace).acts(NAME)
    subscription = await running.log.connection.subscribe(subject, cb=hear)
    yield said
    await subscription.unsubscribe()


async def on_record(running: RunningSociety) -> list[StoredEvent]:
    """Return what the society has on record."""

    async def read() -> list[StoredEvent]:
        return [event async for event in SocietyRecord(running.log, NAME).events()]

    return await retried(read)


def assert_kept(said: Said, events: list[StoredEvent], since: float, until: float) -> None:
    """Assert that the utterances between two times are on record, and that no event is there twice."""
    record_events.validate_python([event.values for event in events])
    spoken = Counter((str(event.agent), str(event.values["text"])) for event in events if event.kind == "speech")
    heard = Counter((agent, text) for at, agent, text in said if since <= at <= until)
    assert heard.total() > 0
    assert heard - spoken == Counter()
    assert spoken - Counter((agent, text) for _, agent, text in said) == Counter()
    ids = Counter(
        (event.agent, event.kind, event.values.get("act_id") or event.values.get("decision"))
        for event in events
        if event.kind in {"act", "decision"}
    )
    assert [key for key, times in ids.items() if times > 1] == []


async def test_speech_survives_the_kill_of_a_host_and_of_the_society() -> None:
    """All utterances up to a second before a kill are on record; the agents of a killed host go on without repeating
    one, and so does a society that was killed as a whole and resumed.
    """
    async with RunningSociety.running() as running, listening(running) as said:
        began = time.monotonic()
        await running.resume()
        await running.until_complete()

        async def talked(than: int = 0) -> bool:
            """Return True once the agents have said something more on record, longer ago than a kill may lose."""
            spoken = Counter(event.kind for event in await on_record(running))["speech"]
            return spoken > than and any(began <= at < time.monotonic() - LOST_SECONDS for at, _, _ in said)

        await eventually(talked)
        host, killed_at = running.observed.lease_holder("0"), time.monotonic()
        kill(running.observed.process("0"))
        await running.until_moved("0", host)
        await running.until_complete()
        events = await on_record(running)
        assert_kept(said, events, began, killed_at - LOST_SECONDS)

        before, began = Counter(event.kind for event in events)["speech"], killed_at
        await eventually(lambda: talked(before))
        last_kill = time.monotonic()
        await running.kill_all()
        running.observed.reset()
        before = Counter(event.kind for event in await on_record(running))["speech"]
        await running.resume()
        await running.until_complete()
        await eventually(lambda: talked(before))
        assert_kept(said, await on_record(running), began, last_kill - LOST_SECONDS)
