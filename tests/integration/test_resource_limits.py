"""A process works within limits of its memory and its database connections."""

import pytest

from nemuri_contracts.client_events import MemoryContent, Setting
from nemuri_infra.retrieval.strength_recall import recall_memories
from nemuri_infra.runtime import settings as settings_of_process
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, assert_verified, connected_client, running_services, until_idle

pytestmark = pytest.mark.connected
AGENTS = 4
MEMORIES = 70
LIMIT = 400_000
"""Bytes for the indexes, less than four of them take."""


async def test_the_indexes_of_large_minds_stay_within_the_limit(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The recall indexes of several large minds together stay within the memory limit. Each recall still finds its
    memory.
    """
    monkeypatch.setattr(settings_of_process, "MEGABYTE", LIMIT)
    small = settings.model_copy(update={"recall_memory": 1})
    names = [f"agent{number}" for number in range(AGENTS)]
    async with running_services(small) as resources, connected_client(small) as client:
        for name in names:
            await resources.log.append(agent_defined(name))
        await client.settle()
        for name in names:
            facts = [f"Value {number} of {name} is stored in register {7 * number}." for number in range(MEMORIES)]
            await client.remember_all(name, [MemoryContent(content=fact) for fact in facts])
        cached, largest = resources.indexes.cached, 0
        for name in (*names, *reversed(names)):
            agent = await resources.views.agent(name)
            assert agent is not None
            found = await recall_memories(resources, agent, "Where is value 42?", perspective=None, setting=Setting())
            best = found.candidates[0].memory_id
            known = await resources.views.memories_by_id([best])
            assert known[best][0].memory.content.startswith(f"Value 42 of {name} ")
            assert cached.bytes <= LIMIT
            largest = max(largest, cached.bytes)
            assert len(cached) < AGENTS
        assert largest > 0
    await assert_verified(settings)


async def test_services_work_with_a_single_connection(settings: Settings) -> None:
    """All services work with a pool of one database connection."""
    single = settings.model_copy(update={"database_connections": 1})
    async with running_services(single) as resources, connected_client(single) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        await client.remember("python", "An empty list is false.")
        answers = [await client.submit(f"Is an empty list false, for the {number}th time?") for number in range(4)]
        for answer in answers:
            assert (await client.result(answer, settled=True)).status == "done"
        await until_idle(resources)
        async with resources.database.reading():
            assert resources.database.engine.pool.checkedout() == 1  # type: ignore[attr-defined]
        assert resources.database.engine.pool.size() == 1  # type: ignore[attr-defined]
        assert resources.database.engine.pool.overflow() == 0  # type: ignore[attr-defined]
    await assert_verified(settings)
