"""Several projectors together fold every event once. Views can be rebuilt from the log."""

import asyncio
import random
from collections.abc import Sequence
from contextlib import AsyncExitStack
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from nemuri.operations.views import rebuild
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.event import Event
from nemuri_contracts.strength import ImpactCredited, MemoriesUsed, MemoryEncoded, Use
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.fold import evolve
from nemuri_infra.projections import tables
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.vectors import vector_key
from tests.integration.harness import (
    agent_defined,
    append_all,
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    opened_log,
    running_services,
    snapshot,
    until_idle,
)

pytestmark = pytest.mark.connected

AGENTS = ("python", "cook", "gardener")


def encoded(agent_id: str, number: int) -> MemoryEncoded:
    """Return the event that encodes a memory added by hand."""
    content = f"{agent_id} knows fact number {number}"
    return MemoryEncoded(
        event_id=uuid4(),
        agent_id=agent_id,
        memory=MemoryContent(content=content, tags=(f"tag{number}",)),
        vector=vector_key("nemuri-words-3", 256, content),
        source="manual",
        strength=1.0,
        perspectives=("semantics", "pitfalls"),
    )


def use_or_credit(rng: random.Random, memories: Sequence[MemoryEncoded]) -> Event:
    """Return an event that records a use of a few memories of one agent, or a credit for them."""
    agent_id = rng.choice(AGENTS)
    mine = [memory.memory_id for memory in memories if memory.agent_id == agent_id]
    some = tuple(rng.sample(mine, 3))
    if rng.random() < 0.7:
        uses = tuple(Use(memory_id=memory_id, method="citation") for memory_id in some)
        perspective = rng.choice(("semantics", "pitfalls", None))
        return MemoriesUsed(
            event_id=uuid4(), agent_id=agent_id, assignment_id=uuid4(), perspective=perspective, uses=uses
        )
    return ImpactCredited(
        event_id=uuid4(), agent_id=agent_id, assignment_id=uuid4(), reason="success", points=1.5, memory_ids=some
    )


def folded_minds(events: Sequence[Event]) -> dict[str, Mind]:
    """Return the minds folded from the events, by agent id."""
    known = dict.fromkeys(AGENTS, Mind())
    for event in events:
        known[str(event.agent_id)] = evolve(known[str(event.agent_id)], event)  # type: ignore[arg-type]
    return known


async def memory_rows(resources: Resources) -> dict[UUID, tuple[float, int, float]]:
    """Return strength, number of uses and impact of each memory in the views, by memory id."""
    state = tables.memory_state.c
    async with resources.database.begin() as connection:
        rows = await connection.execute(
            select(state.memory_id, state.stored_strength, state.access_count, state.impact_score)
        )
        return {row.memory_id: (row.stored_strength, row.access_count, row.impact_score) for row in rows}


async def test_concurrent_projectors_fold_every_event_once(settings: Settings, seed: int) -> None:
    """Three concurrent projectors write the rows of more than a thousand events exactly as the fold gives them."""
    rng = random.Random(seed)
    memories = [encoded(rng.choice(AGENTS), number) for number in range(150)]
    memories += [encoded(agent_id, 1_000 + number) for agent_id in AGENTS for number in range(3)]
    async with opened_log(settings) as log, AsyncExitStack() as stack:
        await append_all(log, [agent_defined(name) for name in AGENTS])
        several = [await stack.enter_async_context(running_services(settings, ["projector"])) for _ in range(3)]
        await append_all(log, memories)
        await append_all(log, [use_or_credit(rng, memories) for _ in range(1_000)])
        await asyncio.gather(*(until_idle(each, ["projector"]) for each in several))
        expected = {
            memory.memory_id: (memory.stored_strength, memory.access_count, memory.impact_score)
            for mind in folded_minds(await effective_events(log)).values()
            for memory in mind.memories.values()
        }
        assert await memory_rows(several[0]) == expected
        assert len(expected) == len(memories)
    await assert_verified(settings)


async def test_a_deleted_event_is_gone_after_a_rebuild(settings: Settings) -> None:
    """An event deleted from the log is in no view after a rebuild, and all other rows are unchanged."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        kept = await client.remember("python", "The truth value of an empty list is false.")
        gone = await client.remember("python", "A secret that has to be forgotten.")
        await client.ask("What is the truth value of an empty list?", settled=True)
        await until_idle(resources)
        before = await snapshot(resources)
        [event] = [each for each in await effective_events(resources.log) if each.event_id == gone]
        await resources.log.stream.delete_msg(resources.log.subjects.stream, event.sequence or 0)
        rebuilt = await rebuild(settings)
        assert rebuilt.sequence == await resources.log.last_sequence()
        after = await snapshot(resources)
        for name in ("journal", "task", "memory", "memory_vector"):
            assert after[name] == [row for row in before[name] if str(gone) not in row]
        assert [memory.memory_id for memory in await client.memories("python") if memory.memory_id in {gone, kept}] == [
            kept
        ]
        answer = await client.ask("What is the truth value of an empty list?", settled=True)
        assert answer.status == "done"
        assert kept in answer.citations
    await assert_verified(settings)


async def test_the_views_reach_a_deleted_end(settings: Settings) -> None:
    """The checkpoint of the views reaches the end of the log even if the newest event was deleted before it was
    projected.
    """
    async with opened_log(settings) as log:
        await log.append(agent_defined())
        last = await log.append(agent_defined("cook"))
        await log.stream.delete_msg(log.subjects.stream, last)
    async with running_services(settings) as resources, connected_client(settings) as client:
        await client.settle()
        assert [agent.agent_id for agent in await client.agents()] == ["python"]

        async def there() -> bool:
            """Return True once the checkpoint of the views is at the end of the log."""
            return (await resources.projection.position()).sequence >= last

        await eventually(there)
    await assert_verified(settings)


async def test_a_rebuild_includes_events_appended_meanwhile(settings: Settings, seed: int) -> None:
    """Events appended during rebuilds are in the new views."""
    rng = random.Random(seed)
    memories = [encoded(agent_id, number) for agent_id in AGENTS for number in range(20)]
    async with running_services(settings, ["projector"]) as resources:
        await append_all(resources.log, [agent_defined(name) for name in AGENTS])
        await append_all(resources.log, memories)
        async with asyncio.TaskGroup() as group:
            traffic = group.create_task(append_all(resources.log, [use_or_credit(rng, memories) for _ in range(600)]))
            while not traffic.done():
                await rebuild(settings)
        await until_idle(resources, ["projector"])
    await assert_verified(settings)
