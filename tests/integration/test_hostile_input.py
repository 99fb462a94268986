"""A client that floods an agent: its memories are kept, known as its own, and take their share and no more."""

import asyncio
from uuid import UUID, uuid4

import pytest

from nemuri_contracts.client_events import MemoryContent, MemoryOffered
from nemuri_contracts.strength import Origin
from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.factory import Models
from nemuri_infra.runtime.settings import Settings
from tests.integration.scene import CountingModel, agent_defined, assert_verified, at_work, quiet, retrieval, visiting

pytestmark = pytest.mark.connected

QUESTION = "What is the truth value of an empty list?"
FACTS = (
    "The truth value of an empty list is false.",
    "An empty list has no item, and that is its truth value.",
    "Whoever asks for the truth value of a list asks whether it is empty.",
)
LESSON = "Which error does indexing an empty list raise?"
FLOOD = 120
"""More than twice as many as stage 1 finds."""


async def flood(log: Log) -> None:
    """Memories of the client "mallory", of which each is closer to the question than any other, by many speakers."""
    room = asyncio.Semaphore(32)

    async def offer(number: int) -> None:
        text = f"{QUESTION} What is the truth value of an empty list? Ask mallory, number {number}."
        memory = MemoryContent(content=text, said_by=f"speaker {number}")
        async with room:
            await log.append(MemoryOffered(event_id=uuid4(), agent_id="python", memory=memory, client_id="mallory"))

    async with asyncio.TaskGroup() as group:
        for number in range(FLOOD):
            group.create_task(offer(number))


async def test_a_flood_from_one_client_leaves_room_for_the_others(settings: Settings) -> None:
    """Half of the context at most, under whatever names it speaks; alone it has all; `why` says what it crowded out."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        await flood(resources.log)
        await quiet(resources)
        alone = await client.recall("python", QUESTION)
        assert {each.candidate.source for each in alone.memories} == {"client mallory"}
        assert len(alone.memories) == 10

        honest = set(await client.remember_all("python", [MemoryContent(content=fact) for fact in FACTS]))
        recalled = await client.recall("python", QUESTION, top=6)
        assert honest <= {each.candidate.memory_id for each in recalled.memories}

        result = await client.ask(QUESTION, settled=True)
        found = await retrieval(resources, result.task_id)
        sources = {each.memory_id: each.source for each in found.candidates}
        assert honest <= set(found.selected)
        assert len(found.selected) == 10
        assert {sources[each] for each in found.crowded} == {"client mallory"}
        [explanation] = await client.why(result.task_id)
        standing = {each.candidate.memory_id: each.standing for each in explanation.candidates}
        assert {each for each, what in standing.items() if what == "crowded out"} == set(found.crowded) != set()
        await quiet(resources)
    await assert_verified(settings)


async def test_a_memory_keeps_from_whom_it_came(settings: Settings) -> None:
    """The client of the subject, whatever is said; and for what is learned, the task and who set it."""
    model = CountingModel(teaches={LESSON: {"semantics": "Indexing an empty list raises IndexError."}})
    models = Models(main=model, light=model)
    async with at_work(settings, models=models) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined(principles=("Truth values come before operators.",)))
        await client.settle()

        async def origin(memory_id: UUID) -> Origin:
            return (await client.memory(memory_id)).origin

        [known] = await client.remember_all("python", [MemoryContent(content=FACTS[0], said_by="the owner")])
        assert await origin(known) == Origin(client_id="ann")
        result = await client.ask(LESSON, settled=True)
        [learned] = result.learned
        assert await origin(learned) == Origin(client_id="ann", task_id=result.task_id)
        await quiet(resources)
        [kept] = (await client.recall("python", QUESTION)).principles
        view = await client.memory(kept.memory_id)
        assert (view.source, view.origin, view.principle) == ("definition", Origin(), True)
    await assert_verified(settings)
