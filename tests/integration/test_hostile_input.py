"""A client that offers very many memories gets only a limited share of every context."""

import asyncio
from uuid import UUID, uuid4

import pytest

from nemuri_contracts.client_events import MemoryContent, MemoryOffered
from nemuri_contracts.strength import Origin
from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.factory import Models
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    CountingModel,
    agent_defined,
    assert_verified,
    connected_client,
    retrieval_of,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.connected

QUESTION = "What is the truth value of an empty list?"
FACTS = (
    "The truth value of an empty list is false.",
    "An empty list has no item, and that is its truth value.",
    "Whoever asks for the truth value of a list asks whether it is empty.",
)
TAUGHT_QUESTION = "Which error does indexing an empty list raise?"
OFFERS = 120
"""Number of offered memories: more than twice as many as stage 1 of the retrieval finds."""


async def offer_many(log: Log) -> None:
    """Offer `OFFERS` memories as the client `mallory`, by many speakers, each more similar to the question than any
    other memory.
    """
    room = asyncio.Semaphore(32)

    async def offer(number: int) -> None:
        text = f"{QUESTION} What is the truth value of an empty list? Ask mallory, number {number}."
        memory = MemoryContent(content=text, said_by=f"speaker {number}")
        async with room:
            await log.append(MemoryOffered(event_id=uuid4(), agent_id="python", memory=memory, client_id="mallory"))

    async with asyncio.TaskGroup() as group:
        for number in range(OFFERS):
            group.create_task(offer(number))


async def test_one_clients_memories_get_a_limited_share_of_the_context(settings: Settings) -> None:
    """If there are relevant memories of others, one client's memories fill at most half of a context.

    `why` shows which memories were left out for that reason ("crowded out").
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        await offer_many(resources.log)
        await until_idle(resources)
        alone = await client.recall("python", QUESTION)
        assert {memory.candidate.source for memory in alone.memories} == {"client mallory"}
        assert len(alone.memories) == 10

        honest = set(await client.remember_all("python", [MemoryContent(content=fact) for fact in FACTS]))
        recalled = await client.recall("python", QUESTION, top=6)
        assert honest <= {memory.candidate.memory_id for memory in recalled.memories}

        result = await client.ask(QUESTION, settled=True)
        found = await retrieval_of(resources, result.task_id)
        sources = {candidate.memory_id: candidate.source for candidate in found.candidates}
        assert honest <= set(found.selected)
        assert len(found.selected) == 10
        assert {sources[each] for each in found.crowded} == {"client mallory"}
        [explanation] = await client.why(result.task_id)
        standing = {candidate.candidate.memory_id: candidate.standing for candidate in explanation.candidates}
        assert {each for each, what in standing.items() if what == "crowded out"} == set(found.crowded) != set()
        await until_idle(resources)
    await assert_verified(settings)


async def test_a_memory_records_its_origin(settings: Settings) -> None:
    """A memory records the client whose subject it was published on. A learning records its task and the client of that
    task.
    """
    model = CountingModel(
        learnings_by_question={TAUGHT_QUESTION: {"semantics": "Indexing an empty list raises IndexError."}}
    )
    models = Models(main=model, light=model)
    async with running_services(settings, models=models) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined(principles=("Truth values come before operators.",)))
        await client.settle()

        async def origin(memory_id: UUID) -> Origin:
            return (await client.memory(memory_id)).origin

        [known] = await client.remember_all("python", [MemoryContent(content=FACTS[0], said_by="the owner")])
        assert await origin(known) == Origin(client_id="ann")
        result = await client.ask(TAUGHT_QUESTION, settled=True)
        [learned] = result.learned
        assert await origin(learned) == Origin(client_id="ann", task_id=result.task_id)
        await until_idle(resources)
        [kept] = (await client.recall("python", QUESTION)).principles
        view = await client.memory(kept.memory_id)
        assert (view.source, view.origin, view.principle) == ("definition", Origin(), True)
    await assert_verified(settings)
