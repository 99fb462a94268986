"""Rebuilt views equal views that followed the log, and readers do not notice when the rebuilt views replace the old
ones.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import uuid4

import pytest
from sqlalchemy import text

from nemuri.operations.views import rebuild
from nemuri_contracts.agents import Embedding, MemoriesEmbedded
from nemuri_contracts.strength import MemoryEncoded
from nemuri_infra.bus import pull_reader
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.log_batch import Batch
from nemuri_infra.projections import projection_writer
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.indexed_tables import LAST_ID, ChangesWanted
from nemuri_infra.projections.projection_writer import ProjectionWriter
from nemuri_infra.projections.sleep_input import sleep_input
from nemuri_infra.retrieval.strength_recall import STRENGTH
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    append_all,
    connected_client,
    effective_events,
    eventually,
    messages,
    running_services,
    snapshot,
    until_idle,
)
from tests.integration.test_projection import AGENTS, encoded, use_or_credit

pytestmark = pytest.mark.connected

MEMORIES_PER_AGENT = 40
"""Number of memories that each agent has in the views that are read."""


async def add_trouble(log: Log, rng: random.Random) -> None:
    """Add copies of messages, invalid messages and vectors of another model to the log, and delete some messages.

    The first messages, which define the agents, stay: without them the views would have no memory to compare.
    """
    mine = [event.memory_id for event in await effective_events(log) if isinstance(event, MemoryEncoded)]
    other = Embedding(model="nemuri-words-3", dimension=64)
    for agent_id in ("python", "cook"):
        some = tuple(rng.sample(mine, 30))
        await log.append(MemoriesEmbedded(event_id=uuid4(), agent_id=agent_id, embedding=other, memory_ids=some))
    subject = f"{log.subjects.namespace}.client.-.liar.task_submitted"
    for garbage in (b"", b"{", b'{"kind": "task_submitted"}'):
        await log.stream.publish(subject, garbage)
    everything = await messages(log)
    for message in rng.sample(everything, len(everything) // 4):
        await log.stream.publish(message.subject, message.data)
    for sequence in rng.sample(range(len(AGENTS) + 1, len(everything)), 12):
        await log.stream.delete_msg(log.subjects.stream, sequence)


def one_by_one(batch: Batch) -> Iterator[Batch]:
    """Yield the batch in pieces of one message each."""
    while len(batch.sequences) > 1:
        first, batch = batch.split(batch.sequences[0])
        yield first
    yield batch


@asynccontextmanager
async def followed_views(resources: Resources) -> AsyncIterator[Resources]:
    """Yield resources with a second set of views, to which every event is projected one by one."""
    database = Database.at(resources.database.url, f"{resources.database.schema}-followed")
    try:
        await database.create()
        projection = replace(resources.projection, database=database)
        async for batch in resources.log.read(0, await resources.log.last_sequence()):
            for single in one_by_one(batch):
                await ProjectionWriter(projection).fold(single, resources.log.subjects)
        yield replace(resources, database=database)
    finally:
        await database.close()


async def test_rebuilt_rows_equal_followed_rows(settings: Settings, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rebuilt rows equal rows that followed the log, both if states stay in memory and if they are evicted and read
    again.
    """
    rng = random.Random(seed)
    memories = [encoded(name, number) for name in AGENTS for number in range(40)]
    async with running_services(settings) as resources, connected_client(settings) as client:
        await append_all(resources.log, [agent_defined(name) for name in AGENTS])
        await append_all(resources.log, memories)
        await append_all(resources.log, [use_or_credit(rng, memories) for _ in range(150)])
        for question in ("What is the truth value of an empty list?", "Which fact has number 3?"):
            task = await client.ask(question, settled=True)
            await client.feedback(task.task_id, "helpful", result="success")
        await until_idle(resources)
    async with open_resources(settings) as resources:
        await add_trouble(resources.log, rng)
        async with followed_views(resources) as live:
            expected = await snapshot(live)
        assert all(
            expected[name] for name in ("journal", "task", "assignment", "memory", "memory_state", "memory_vector")
        )
        await rebuild(settings)
        assert await snapshot(resources) == expected
        monkeypatch.setattr(pull_reader, "BATCH_MESSAGES", 7)
        monkeypatch.setattr(projection_writer, "MAX_STATES", 10)
        await rebuild(settings)
        assert await snapshot(resources) == expected


async def read_views(resources: Resources, over: asyncio.Event) -> int:
    """Read the views until `over` is set, and assert each time that they are complete. Return the number of reads."""
    times = 0
    while not over.is_set():
        assert {each.agent_id for each in await resources.views.agents.read()} == set(AGENTS)
        agent = await resources.views.agent("python")
        tired = await sleep_input(resources.database, agent) if agent else None
        assert tired is not None
        assert len(tired.touched) == MEMORIES_PER_AGENT
        assert sum(tired.agent.active) == MEMORIES_PER_AGENT
        changes = await STRENGTH.changed(resources.database, ChangesWanted("cook", "", 0, (0, LAST_ID)))
        assert len(changes) == MEMORIES_PER_AGENT
        times += 1
    return times


async def test_readers_see_complete_views_during_a_rebuild(settings: Settings) -> None:
    """Four concurrent readers always see complete views during two rebuilds."""
    async with running_services(settings, ["projector"]) as resources:
        await append_all(resources.log, [agent_defined(name) for name in AGENTS])
        await append_all(
            resources.log, [encoded(name, number) for name in AGENTS for number in range(MEMORIES_PER_AGENT)]
        )
        await until_idle(resources, ["projector"])
        over = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            readers = [group.create_task(read_views(resources, over)) for _ in range(4)]
            for _ in range(2):
                await rebuild(settings)
            over.set()
        assert all(reader.result() > 1 for reader in readers)


async def test_a_reader_of_the_old_views_does_not_hold_up_the_new_ones(settings: Settings) -> None:
    """A long read of the old views does not delay the new ones. Only the removal of the old views waits for it."""
    async with running_services(settings, ["projector"]) as resources:
        await append_all(resources.log, [agent_defined(name) for name in AGENTS])
        await until_idle(resources, ["projector"])

        async def place() -> int:
            """Return PostgreSQL's id of the table that is read now."""
            async with resources.database.reading() as connection:
                await connection.execute(text("SET lock_timeout = '5s'"))
                found = await connection.execute(text("SELECT DISTINCT tableoid::bigint FROM agent"))
                return int(found.scalar_one())

        async with resources.database.begin() as patient:
            before = int((await patient.execute(text("SELECT DISTINCT tableoid::bigint FROM agent"))).scalar_one())
            making = asyncio.create_task(rebuild(settings))

            async def exchanged() -> bool:
                """Return True once readers use the new views."""
                return await place() != before

            await eventually(exchanged)
            assert not making.done()
        await making
        assert await place() != before
