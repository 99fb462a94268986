"""An overview is finished after kills of any process that takes part, and no recorded model call is repeated."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterable

import pytest
import pytest_asyncio

from nemuri_contracts.tasks import ChunkSummarised, Note, NotesCondensed, TaskAnswered
from nemuri_infra.runtime.resources import open_resources
from tests.faults.processes import Platform, platform_with_model
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    opened_log,
    recorded_events,
    retried,
    until_idle,
)
from tests.integration.reading_model import ReadingModel, numbers
from tests.integration.test_overviews import SUMMARISE, fact, report

pytestmark = [pytest.mark.connected, pytest.mark.long]

SERVICES = ("projector", "query-api", "intake", "orchestrator", "specialist", "attribution")
VICTIMS = ("projector", "intake", "orchestrator", "specialist")
CALL_SECONDS = 0.15
"""Seconds that each call of the model takes, so that kills hit calls that are under way."""
FACTS = 24
JOBS = ("notes", "condensing", "overview")


def told(notes: Iterable[Note]) -> frozenset[int]:
    """Return the numbers of the facts that notes contain."""
    return numbers(" ".join(note.text for note in notes))


@pytest_asyncio.fixture(loop_scope="session")
async def reading() -> AsyncIterator[tuple[Platform, ReadingModel]]:
    """A platform of processes that call a reading model on the loopback."""
    room = {"NEMURI_OVERVIEW_PROMPT_TOKENS": "800"}
    async with ReadingModel() as model, platform_with_model(model.url, SERVICES, **room) as running:
        async with opened_log(running.settings) as log, connected_client(running.settings) as client:
            await log.append(agent_defined())
            await client.settle()
        yield running, model


async def test_no_recorded_call_of_an_overview_is_repeated(reading: tuple[Platform, ReadingModel], seed: int) -> None:
    """Processes are killed while notes are taken, while they are condensed, and while the answer is written. Every
    fact is in the answer, no call is made after its outcome was recorded, and no recorded outcome is replaced.
    """
    platform, model = reading
    rng = random.Random(seed)
    model.seconds = CALL_SECONDS

    async def kills() -> None:
        for job in JOBS:
            await model.called(job)
            for victim in rng.sample(VICTIMS, 2):
                await asyncio.sleep(rng.uniform(0, 2 * CALL_SECONDS))
                await platform.kill_and_restart(victim)

    async with connected_client(platform.settings) as client, asyncio.TaskGroup() as group:
        group.create_task(kills())
        task_id = await retried(lambda: client.submit(SUMMARISE, documents=[("r.txt", report(240_000, FACTS))]))
        done = await retried(lambda: client.result(task_id))
    async with open_resources(platform.settings) as resources:
        await until_idle(resources, SERVICES)
        facts, everything = await effective_events(resources.log), await recorded_events(resources.log)
    assert [number for number in range(FACTS) if fact(number) not in str(done.answer)] == []
    [answered] = [each for each in facts if isinstance(each, TaskAnswered)]
    assert answered.text in str(done.answer)
    assert answered.text == next(each.text for each in everything if isinstance(each, TaskAnswered))
    recorded = {("overview", numbers(answered.text)): answered.at}
    recorded |= {("notes", told(event.notes)): event.at for event in facts if isinstance(event, ChunkSummarised)}
    recorded |= {("condensing", told(event.notes)): event.at for event in facts if isinstance(event, NotesCondensed)}
    assert len(recorded) == 1 + done.chunks + 8
    assert {(call.job, call.facts) for call in model.made if call.job in JOBS} == recorded.keys()
    late = [call for call in model.made if call.job in JOBS and call.at > recorded[call.job, call.facts]]
    assert late == [], "a call was made after its outcome was recorded"
    await assert_verified(platform.settings)
