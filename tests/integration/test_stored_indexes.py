"""Copies of retrieval indexes save reading all memories, and never contain erased or outdated data."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import select, text, update

from nemuri.client.client import Client
from nemuri.operations.erasure import forget
from nemuri.operations.views import rebuild
from nemuri_contracts.client_events import MemoryContent, Setting
from nemuri_infra.projections import indexed_tables, memory_indexes, tables
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.projections.index_encoding import FORMAT
from nemuri_infra.projections.indexed_tables import ChangesWanted, IndexChange, IndexedTable
from nemuri_infra.projections.memory_indexes import MemoryIndexes
from nemuri_infra.projections.queries import StoredViews
from nemuri_infra.projections.stored_indexes import read_index, write_index
from nemuri_infra.retrieval.strength_recall import STRENGTH, RankedRetrieval, recall_memories
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    ALL_SERVICES,
    agent_defined,
    assert_verified,
    connected_client,
    running_services,
    until_idle,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
pytestmark = pytest.mark.connected
AGENTS = ("cook", "python")
RUNNING = tuple(name for name in ALL_SERVICES if name != "semantic-memory")
"""Services that run: the other one searches the indexes too, when it judges memories."""
FACTS = [f"Value {number} is stored in register {7 * number}" for number in range(8)]


@pytest.fixture(autouse=True)
def _small_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Store a copy after a few changes."""
    monkeypatch.setattr(memory_indexes, "LEAST_STORED", 4)


@asynccontextmanager
async def two_agents(settings: Settings) -> AsyncIterator[tuple[Resources, Client]]:
    """Run the services with two agents that know similar facts."""
    async with running_services(settings, RUNNING) as resources, connected_client(settings) as client:
        for name in AGENTS:
            await resources.log.append(agent_defined(name))
        await client.settle()
        for name in AGENTS:
            await client.remember_all(name, [MemoryContent(content=f"{fact} of {name}.") for fact in FACTS])
        yield resources, client


async def recalled(resources: Resources, name: str = "python", number: int = 5) -> RankedRetrieval:
    """Recall one of the values, in a process that has no indexes yet."""
    agent = await resources.views.agent(name)
    assert agent is not None
    query = f"Where is value {number}?"
    process = replace(resources, indexes=MemoryIndexes.within(2**30, resources.views))
    return await recall_memories(process, agent, query, perspective=None, setting=Setting(), now=NOW)


async def copies(resources: Resources) -> dict[str, bytes]:
    """Return the data of all stored copies, by agent."""
    copy = tables.retrieval_index.c
    async with resources.database.reading() as connection:
        rows = await connection.execute(select(copy.agent_id, copy.data))
    return {name: data for name, data in rows}  # noqa: C416 - rows are no tuples for the type checker


async def test_a_second_process_reads_the_copy_and_what_changed_since(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process without an index reads the copy instead of the memories, and only newer memories beside it."""
    async with two_agents(settings) as (resources, client):
        first = await recalled(resources)
        assert set(await copies(resources)) == {"python"}
        read, original = list[int](), StoredViews.index_changes

        async def counted(views: StoredViews, table: IndexedTable[Any], wanted: ChangesWanted) -> list[IndexChange]:
            changes = await original(views, table, wanted)
            read.append(sum(change.vector is not None for change in changes))
            return changes

        monkeypatch.setattr(StoredViews, "index_changes", counted)
        second = await recalled(resources)
        assert (second.candidates, read) == (first.candidates, [0])
        new = await client.remember("python", "Value 5 is not stored in register 35 any more.")
        assert new in {candidate.memory_id for candidate in (await recalled(resources)).candidates}
        assert read[1:] == [1]


async def test_a_failure_between_two_pages_of_changes_loses_nothing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index whose changes are read in pages contains all memories, also if the database failed after the first."""
    for module in (indexed_tables, memory_indexes):
        monkeypatch.setattr(module, "PAGE_SIZE", 3)
    async with two_agents(settings) as (resources, _):
        read, original = list[ChangesWanted](), StoredViews.index_changes

        async def failing(views: StoredViews, table: IndexedTable[Any], wanted: ChangesWanted) -> list[IndexChange]:
            read.append(wanted)
            if len(read) == 2:
                raise ConnectionError("the database is away")
            return await original(views, table, wanted)

        monkeypatch.setattr(StoredViews, "index_changes", failing)
        vectors = await resources.vectors.calibrated()
        for failed in (True, False):
            with pytest.raises(ConnectionError) if failed else nullcontext():
                async with resources.indexes.current(STRENGTH, "python", vectors) as index:
                    assert len(index) == len(FACTS)
        assert len(read) == 2 + len(FACTS) // 3 + 1


async def test_a_damaged_copy_is_replaced(settings: Settings) -> None:
    """A damaged copy is ignored and replaced."""
    async with two_agents(settings) as (resources, _):
        first = await recalled(resources)
        whole = await copies(resources)
        async with resources.database.begin() as connection:
            await connection.execute(update(tables.retrieval_index).values(data=whole["python"][:-7]))
        assert (await recalled(resources)).candidates == first.candidates
        assert await copies(resources) == whole


async def test_an_erasure_deletes_the_copies_of_the_agents_concerned(settings: Settings) -> None:
    """The erasure of a memory deletes the copy of its agent, and a copy made before it is not stored afterwards."""
    async with two_agents(settings) as (resources, _):
        for name in AGENTS:
            before = await recalled(resources, name)
        gone = before.candidates[0].memory_id
        generation = resources.vectors.generation
        old = await read_index(resources.database, "python", generation, format_version=FORMAT)
        seen = resources.views.progress.sequence
        assert gone.bytes in old.data
        assert set(await copies(resources)) == set(AGENTS)
        await forget(settings, [Thing("memory", gone)])
        await until_idle(resources, RUNNING)
        assert set(await copies(resources)) == {"cook"}
        await write_index(resources.database, "python", generation, old, seen=seen, format_version=FORMAT)
        assert set(await copies(resources)) == {"cook"}
        assert gone not in {candidate.memory_id for candidate in (await recalled(resources)).candidates}
        assert gone.bytes not in (await copies(resources))["python"]
        await forget(settings, [Thing("agent", "cook")])
        await until_idle(resources, RUNNING)
        assert set(await copies(resources)) == {"python"}
    await assert_verified(settings)


async def test_a_rebuild_begins_without_copies(settings: Settings) -> None:
    """A rebuild leaves no copy, and a copy made from the tables before it is not stored afterwards."""
    async with two_agents(settings) as (resources, _):
        first = await recalled(resources)
        generation = resources.vectors.generation
        old = await read_index(resources.database, "python", generation, format_version=FORMAT)
        seen = resources.views.progress.sequence
        await rebuild(settings)
        assert await copies(resources) == {}
        await write_index(resources.database, "python", generation, old, seen=seen, format_version=FORMAT)
        assert await copies(resources) == {}
        assert (await recalled(resources)).candidates[0].memory_id == first.candidates[0].memory_id
        assert set(await copies(resources)) == {"python"}
        older = replace(old, until=old.until - 1)
        async with resources.database.reading() as connection:
            present = (await connection.execute(text("SELECT to_regclass('memory_state')::oid::bigint"))).scalar_one()
        older = replace(older, tables=present, data=b"older")
        await write_index(resources.database, "python", generation, older, seen=2**40, format_version=FORMAT)
        assert (await copies(resources))["python"] != b"older"
