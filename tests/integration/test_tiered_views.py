"""Tiered minds in the views equal the fold of the log: followed, rebuilt, and after an erasure.

A tiered mind is the state of one agent's tiered memory.
"""

import random
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from nemuri.operations.erasure import forget, resume
from nemuri_contracts.event import Event
from nemuri_contracts.tiered import (
    ConsolidationBegun,
    ExperienceOffered,
    ExperienceRecorded,
    Group,
    MemoriesAccessed,
    MemoryAccess,
    MemoryFormed,
    MemoryShared,
)
from nemuri_domain.tiered.aggregate import TierMemory, TiersAgent
from nemuri_domain.tiered.fold import FOLDED, fold
from nemuri_infra.projections import id_lookup, tables
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.projections.rows import load
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.vectors import vector_key
from tests.integration.harness import (
    EMBEDDING,
    agent_defined,
    assert_verified,
    assert_views_follow_and_rebuild,
    effective_events,
    messages,
    running_services,
    until_idle,
)
from tests.integration.servers import Servers, files_with

pytestmark = pytest.mark.connected

AGENT = "noah"


def vector_key_of(text: str) -> str:
    """Return the key under which the vector of a text is stored."""
    return vector_key(EMBEDDING.model, EMBEDDING.dimension, text)


def recorded_experience(rng: random.Random, content: str, offered: UUID | None = None) -> ExperienceRecorded:
    """Return the event of a recorded experience with random values."""
    return ExperienceRecorded.model_validate(
        {"event_id": derived_id(rng), "causation_id": offered, "agent_id": AGENT, "importance": 0.5}
        | {
            "experience": {"type": "action", "content": content, "second": rng.randrange(1_000)},
            "vector": vector_key_of(content),
        }
    )


def formed_memory(rng: random.Random, content: str, sources: Sequence[UUID]) -> MemoryFormed:
    """Return the event of a memory formed from these sources, with random values."""
    fields = {"type": "semantic", "content": content, "importance": 0.5, "formed_by": "extractive", "second": 1_000.0}
    return MemoryFormed.model_validate(
        {"event_id": derived_id(rng), "agent_id": AGENT, "sources": sources, "vector": vector_key_of(content)} | fields
    )


def derived_id(rng: random.Random) -> UUID:
    """Return a random UUID of version 5, the version of ids that the platform derives."""
    return UUID(int=rng.getrandbits(128), version=5)


def random_life(rng: random.Random, length: int) -> list[Event]:
    """Return events: twelve experiences, then `length` random events about them."""
    begun: list[Any] = [recorded_experience(rng, f"thing {each}") for each in range(12)]
    known: list[UUID] = [event.event_id for event in begun]

    def some(least: int = 1) -> tuple[UUID, ...]:
        return tuple(rng.sample(known, rng.randrange(least, 4)))

    def any_event(nth: int) -> Event:
        same: dict[str, Any] = {"event_id": derived_id(rng), "agent_id": AGENT, "second": float(nth)}
        match rng.randrange(5):
            case 0:
                made = formed_memory(rng, f"made at {nth}", some())
                known.append(made.event_id)
                return made
            case 1:
                groups = [Group(layer=rng.choice(("short", "long")), memory_ids=some()) for _ in range(2)]
                return ConsolidationBegun(**same, because="asked", groups=tuple(groups), deleted=some(0)[:1])
            case 2:
                return MemoryShared(**same, memory_id=rng.choice(known), scope="group", visible_to=("lila",))
            case 3:
                lived = recorded_experience(rng, f"later {nth}")
                known.append(lived.event_id)
                return lived
            case _:
                counts = tuple(MemoryAccess(memory_id=each, times=rng.randrange(1, 4)) for each in some())
                return MemoriesAccessed(**same, accessed=counts)

    return [agent_defined(AGENT, memory="tiered", perspectives=()), *begun, *map(any_event, range(length))]


async def assert_as_folded(resources: Resources) -> None:
    """Assert that the rows equal the fold of the log, and that each memory has a vector and nothing else has."""
    tiers = fold([event for event in await effective_events(resources.log) if isinstance(event, FOLDED)])
    vector = tables.memory_vector.c
    async with resources.database.reading() as connection:
        agents = await load(connection, tables.tier_agent, TiersAgent)
        memories = await load(connection, tables.tier_memory, TierMemory)
        vectors = set((await connection.execute(select(vector.memory_id))).scalars())
    assert agents == [tiers.agent]
    assert {memory.memory_id: memory for memory in memories} == dict(tiers.memories)
    assert vectors == {memory.memory_id for memory in memories}


async def test_random_events_give_the_rows_of_the_fold(settings: Settings, seed: int) -> None:
    """Random events give the same rows when folded one by one, in batches and in a rebuild."""
    rng = random.Random(seed)
    await assert_views_follow_and_rebuild(settings, random_life(rng, 100), rng, assert_as_folded)
    async with open_resources(settings) as resources:
        async with resources.database.reading() as connection:
            [memory, *_] = await load(connection, tables.tier_memory, TierMemory)
        assert await id_lookup.find_by_prefix(resources.database, "memory", str(memory.memory_id)[:13]) == (
            memory.memory_id,
            1,
        )


async def test_an_erased_experience_leaves_no_byte(servers: Servers, settings: Settings) -> None:
    """After the erasure of a memory no file contains its sources or their offers, and a replay does not restore it."""
    rng, told = random.Random(7), UUID(int=77, version=4)
    lived = {"type": "action", "content": "the zugtrompetish thing"}
    offered = ExperienceOffered.model_validate({"event_id": told, "agent_id": AGENT, "experience": lived})
    gone, twin = (
        recorded_experience(rng, "the zugtrompetish thing", told),
        recorded_experience(rng, "the barytonhornlike thing"),
    )
    made = formed_memory(rng, "serpentonwise it was", (gone.event_id, twin.event_id))
    merged = formed_memory(rng, "ophicleidean times", (made.event_id,))
    kept = recorded_experience(rng, "the pangolinkind thing")
    async with running_services(settings, ["projector"]) as resources:
        for each in (agent_defined(AGENT, memory="tiered", perspectives=()), offered, gone, twin, kept, made, merged):
            await resources.log.append(each)
        await until_idle(resources, ["projector"])
        canaries = ("zugtrompetish", "barytonhornlike", "serpentonwise", "ophicleidean")
        assert all(files_with(servers.directory, *canaries).values())
        old = [each for each in await messages(resources.log) if any(one.encode() in each.data for one in canaries)]

        await forget(settings, [Thing("memory", merged.event_id)])

        left_in = files_with(servers.directory, *canaries, "pangolinkind")
        assert left_in.pop("pangolinkind"), "the search must find the control"
        assert not any(left_in.values())
        await assert_as_folded(resources)
        await assert_verified(settings)
        for message in old:
            await resources.log.stream.publish(message.subject, message.data)
        await until_idle(resources, ["projector"])
        async with resources.database.reading() as connection:
            left = await load(connection, tables.tier_memory, TierMemory)
        assert [each.memory_id for each in left] == [kept.event_id]
        await resume(settings)
        assert not any(files_with(servers.directory, *canaries).values())
    await assert_verified(settings)
