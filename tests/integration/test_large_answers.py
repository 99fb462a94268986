"""Answers of the platform that exceed one message are paged or shortened. A client waits for answers that come late."""

import asyncio
from uuid import uuid4

import pytest

from nemuri.client import exchange
from nemuri.client.task_waiting import TaskTimeoutError
from nemuri_contracts.client_events import MemoryContent, TaskSubmitted
from nemuri_contracts.task_views import Retrieved, TaskResult
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.results import Results
from tests.integration.harness import agent_defined, connected_client, opened_log, running_services

pytestmark = pytest.mark.connected

MEMORIES = 340
LENGTH = 8_000
"""Characters in each memory. A full page of such memories exceeds one message."""


async def test_many_memories_are_returned_page_by_page(settings: Settings) -> None:
    """All memories are returned page by page up to the limit, each once, the strongest first."""
    texts = {f"Fact {number}: ".ljust(LENGTH, "x") for number in range(MEMORIES)}
    async with (
        running_services(settings, ("projector", "query-api", "intake")) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await client.settle()
        await client.remember_all("python", [MemoryContent(content=text) for text in sorted(texts)])

        everything = await client.memories("python", status="all")

        assert {memory.memory.content for memory in everything} == texts
        assert len(everything) == MEMORIES
        order = [(-memory.strength, memory.memory_id) for memory in everything]
        assert order == sorted(order)
        assert await client.memories("python", limit=301) == everything[:301]
        assert await client.memories("python", limit=1) == everything[:1]
        assert await client.memories("python", status="archived") == ()
        with pytest.raises(exchange.ClientError, match="limit"):
            await client.memories("python", limit=0)


async def test_a_result_that_is_too_large_leaves_out_retrieved_memories(settings: Settings) -> None:
    """A result that exceeds one message is sent without its retrieved memories."""
    retrieved = tuple(Retrieved(memory_id=uuid4(), score=0.5, features={}) for _ in range(14_000))
    result = TaskResult(task_id=uuid4(), status="done", answer="Yes.", retrieved=retrieved)

    async def standing() -> TaskResult:
        return result

    async with opened_log(settings) as log:
        results = await Results.open(log)
        assert len(result.model_dump_json()) > log.max_event_bytes

        async with asyncio.timeout(10), results.following(result.task_id) as news:
            await results.publish(result.task_id, standing)

            assert await news(5) == result.model_copy(update={"retrieved": ()})


async def test_a_result_waits_for_services(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call for a result waits for services that are started later."""
    monkeypatch.setattr(exchange, "RETURN_ATTEMPTS", 1)
    task = TaskSubmitted(event_id=uuid4(), client_id="ann", text="What is truth?")
    async with connected_client(settings) as client:
        await client.log.append(agent_defined())
        await client.log.append(task)
        with pytest.raises(exchange.PassingError, match="is the platform running"):
            await client.progress(task.event_id)
        with pytest.raises(TaskTimeoutError):
            await client.result(task.event_id, timeout=1)
        waiting = asyncio.create_task(client.result(task.event_id))
        with pytest.raises(exchange.PassingError):
            await client.progress(task.event_id)

        async with running_services(settings):
            assert (await waiting).status == "done"
