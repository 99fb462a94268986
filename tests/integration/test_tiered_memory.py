"""Tiered memory in running services: experiences are recorded, consolidated, recalled, shared and erased."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest

from nemuri.admin.tiered import consolidate, share
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.operations.erasure import forget
from nemuri.operations.reembed import reembed
from nemuri.operations.views import rebuild
from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.queries import AccessMemories
from nemuri_contracts.strength import MemoryRefused
from nemuri_contracts.tiered import (
    ConsolidationAsked,
    ConsolidationBegun,
    Cues,
    Experience,
    ExperienceOffered,
    ExperienceRecorded,
    MemoryFormed,
)
from nemuri_contracts.tiered_views import TiersRecallView
from nemuri_domain.tiered.aggregate import TierMemory, TiersAgent
from nemuri_domain.tiered.fold import FOLDED, fold
from nemuri_domain.tiered.retrieval import columns_of
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.projections import tables
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.projections.rows import load
from nemuri_infra.projections.tiered_queries import TIERED, TieredQueries
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from nemuri_services.tiered_memory.consolidation_schedule import request_due
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.connected

TIERED_SERVICES = ("projector", "intake", "tiered-memory", "query-api")
SIMILAR_TEXTS = tuple(
    f"Noah mined iron with Lila in the cave in the {each}" for each in ("morning", "morning ", "morning  ")
)
"""Three texts with the same words, so that the built-in embedder gives them the same vector."""


@asynccontextmanager
async def tiered_platform(settings: Settings, *names: str, **policy: object) -> AsyncIterator[tuple[Resources, Client]]:
    """Run the services of tiered memory with agents of these names (by default `noah`), and yield resources and a
    client.
    """
    async with running_services(settings, TIERED_SERVICES) as resources, connected_client(settings) as client:
        last = 0
        for name in names or ("noah",):
            last = await resources.log.append(agent_defined(name, memory="tiered", perspectives=()))
            if policy:
                last = await resources.log.append(PolicyAdopted(event_id=uuid4(), agent_id=name, parameters=policy))
        await resources.views.progress.wait(last)
        yield resources, client


async def all_memories(resources: Resources) -> list[TierMemory]:
    """Return all tiered memories, oldest first."""
    async with resources.database.reading() as connection:
        found = await load(connection, tables.tier_memory, TierMemory)
    return sorted(found, key=lambda each: each.at)


async def assert_as_folded(resources: Resources) -> None:
    """Assert that the rows and this process's index equal the fold of the log, and that each memory has a vector and
    nothing else has.
    """
    tiers = fold([event for event in await effective_events(resources.log) if isinstance(event, FOLDED)])
    async with resources.database.reading() as connection:
        agents = await load(connection, tables.tier_agent, TiersAgent)
    known = await all_memories(resources)
    assert agents == [tiers.agent]
    assert {memory.memory_id: memory for memory in known} == dict(tiers.memories)
    ids = [memory.memory_id for memory in known]
    vectors = await TieredQueries(resources.database).vectors("noah", resources.vectors, ids)
    assert set(vectors) == set(ids)
    async with resources.indexes.current(TIERED, "noah", resources.vectors) as index:
        rows = dict(zip(map(index.id, range(len(index))), index.features.tolist(), strict=True))
        cosines = index.cosines(np.stack([vectors[row] for row in rows])).diagonal() if rows else np.ones(0)
    assert rows == {
        memory.memory_id: columns_of(memory.layer, memory.type, memory.at, memory.importance) for memory in known
    }
    assert cosines == pytest.approx(1, abs=1e-5)


async def test_a_repeated_experience_is_recorded_once(settings: Settings) -> None:
    """A repeated experience is recorded once. Unimportant experiences are refused, and so are agents without tiered
    memory.
    """
    async with tiered_platform(settings) as (resources, client):
        await resources.log.append(agent_defined("python"))
        lived = Experience(
            type="conversation", content="Lila: could you help me with the iron?", participants=("Lila",)
        )
        told = ExperienceOffered(event_id=uuid4(), client_id="ann", agent_id="noah", experience=lived)
        elsewhere = told.model_copy(update={"agent_id": "python", "event_id": uuid4()})
        for each in (told, told, elsewhere):
            await resources.log.append(each)
        seen = await client.experience("noah", "A zombie is near the gate", location=None)
        with pytest.raises(ClientError, match="not important enough"):
            await client.experience("noah", "A leaf fell", importance=0.1)
        with pytest.raises(ClientError, match="no agent 'python' with tiered memory"):
            await client.experience("python", "A leaf fell")

        found = await all_memories(resources)
        assert [(memory.type, memory.importance) for memory in found] == [("conversation", 0.7), ("observation", 0.6)]
        assert found[1].memory_id == seen
        refused = [event for event in await effective_events(resources.log) if isinstance(event, MemoryRefused)]
        assert elsewhere.event_id in {event.causation_id for event in refused}
        assert (await client.tiers("noah")).short == 2
    await assert_verified(settings)


async def test_memories_beyond_the_capacity_are_consolidated_and_recalled(settings: Settings) -> None:
    """The oldest memories beyond the capacity are consolidated in clusters. A module's recalls count as accesses."""
    policy = {"short_term": {"base_capacity": 5, "max_capacity": 5, "kept_share": 0.2}}
    async with tiered_platform(settings, **policy) as (resources, client):
        for number, text in enumerate((*SIMILAR_TEXTS, "Noah planted wheat by the river", "Mira sang a song")):
            cues = Cues(goal_related=True)
            await client.experience("noah", text.strip(), type="action", second=10.0 * number, cues=cues)

        async def over() -> Any:
            """Return a true value once all memories beyond the capacity are consolidated."""
            view = await client.tiers("noah")
            return view if (view.short, view.merging, view.long) == (1, 0, 2) else None

        view = await eventually(over)
        assert (view.consolidated_for, view.types) == ("capacity", {"action": 1, "episodic": 1, "procedural": 1})
        assert view.hours < 0.1
        long = {each.type: each for each in view.formed}
        assert len(long["procedural"].sources) == 3
        assert long["procedural"].content.endswith("(×3)")
        found = await client.tiers_recall("noah", "how do I get iron with Lila?", module="planning", second=60.0)
        assert found.recalled[0].memory.memory_id == long["procedural"].memory_id
        assert found.weights == (0.5, 0.3, 0.2)
        assert {each.memory.layer for each in found.recalled} == {"short", "long"}
        for each in found.recalled:
            assert each.score == pytest.approx(0.5 * each.relevance + 0.3 * each.recency + 0.2 * each.importance)
        talking = await client.tiers_recall("noah", "iron", module="talking", quietly=True)
        working = await client.tiers_recall("noah", "iron", module="action_awareness", quietly=True)
        assert (talking.recalled, working.recalled, working.working) == ((), (), True)
        await until_idle(resources)
        assert {memory.access_count for memory in await all_memories(resources)} == {1}
        asked = {"agent_id": "noah", "query": "how do I get iron with Lila?", "second": 60.0, "request": uuid4()}
        for _ in range(2):
            assert (await client._exchange.ask(AccessMemories, TiersRecallView, **asked)).recalled
        await until_idle(resources)
        counts = {memory.access_count for memory in await all_memories(resources)}
        assert counts == {2}, "a repeated request counts once"
        await assert_as_folded(resources)
        done = await reembed(settings, embedder=BuiltInEmbedder(128))
        assert (done.agents, done.memories) == (1, 3)
        again = await client.tiers_recall("noah", "how do I get iron with Lila?", second=60.0, quietly=True)
        assert again.recalled[0].memory.memory_id == long["procedural"].memory_id
    await rebuild(settings)
    await assert_verified(settings)


async def test_two_workers_consolidate_each_experience_once(settings: Settings) -> None:
    """Two concurrent workers consolidate each experience once and leave none out."""
    policy = {"short_term": {"base_capacity": 4, "max_capacity": 4, "kept_share": 0.5}}
    async with (
        tiered_platform(settings, **policy) as (resources, client),
        running_services(settings, ["tiered-memory"]),
    ):
        for each in range(24):
            lived = Experience(type="action", content=f"Noah mined iron ore number {each}", second=float(each))
            told = ExperienceOffered(event_id=uuid4(), client_id="ann", agent_id="noah", experience=lived)
            await resources.log.append(told)
        await until_idle(resources, TIERED_SERVICES)
        facts = await effective_events(resources.log)
        begun = [fact for fact in facts if isinstance(fact, ConsolidationBegun)]
        gone = Counter(memory for fact in begun for group in fact.groups for memory in group.memory_ids)
        assert len(begun) > 1
        assert set(gone.values()) == {1}
        sources = [source for fact in facts if isinstance(fact, MemoryFormed) for source in fact.sources]
        assert Counter(sources) == gone
        view = await client.tiers("noah")
        assert (view.short + len(gone), view.merging) == (24, 0)
        assert view.short < 4
        await assert_as_folded(resources)


async def test_old_memories_are_consolidated_in_time(settings: Settings) -> None:
    """The consolidation of old memories is requested once, after the retention time, by the log's clock.

    Agents of simulations are left out.
    """
    policy = {"short_term": {"retention_minutes": 30}}
    async with tiered_platform(settings, "noah", "lila", **policy) as (resources, client):
        await client.experience("noah", "Noah saw the sea")
        await client.experience("lila", "Lila saw the sea", second=5.0)
        now = (await all_memories(resources))[-1].at
        for later in (60.0, 29 * 60.0):
            await request_due(resources, now + later)
        assert not [event for event in await effective_events(resources.log) if isinstance(event, ConsolidationAsked)]
        for _ in range(2):
            await request_due(resources, now + 31 * 60.0)
        asked = [event for event in await effective_events(resources.log) if isinstance(event, ConsolidationAsked)]
        assert [(event.agent_id, event.because) for event in asked] == [("noah", "interval")]


async def test_a_shared_memory_is_recalled_by_its_audience(settings: Settings) -> None:
    """A shared memory is recalled exactly by the agents it is shared with, and is not consolidated."""
    async with tiered_platform(settings, "noah", "lila", "mira") as (resources, client):
        seen = await client.experience("noah", "The well behind the church is poisoned")
        secret = await client.experience("noah", "The gold is under the oak")
        shared = await share(client, "noah", str(seen), "bilateral", ["lila"])
        assert (shared.layer, shared.scope, shared.visible_to) == ("long", "bilateral", ("lila",))
        with pytest.raises(ClientError, match="'nobody'"):
            await share(client, "noah", str(secret), "bilateral", ["nobody"])
        with pytest.raises(ClientError, match="anyway"):
            await share(client, "noah", str(secret), "group", ["noah"])

        async def told(agent: str, *, shared: bool = True) -> list[UUID]:
            found = await client.tiers_recall(agent, "is the well poisoned?", shared=shared)
            return [each.memory.memory_id for each in found.recalled]

        assert await told("lila") == [seen]
        assert await told("lila", shared=False) == []
        assert await told("mira") == []
        assert set(await told("noah", shared=False)) == {seen, secret}
        await share(client, "noah", str(secret), "global", [])
        assert await told("mira") == [secret]
        done = await consolidate(client, "noah")
        assert (done.gone, done.view.shared) == (0, 2)
        assert not [event for event in await effective_events(resources.log) if isinstance(event, ConsolidationBegun)]
    await assert_verified(settings)


async def test_an_erased_experience_is_erased_with_its_formed_memory(settings: Settings) -> None:
    """Erasing an experience also erases its offer, the memory formed from it, and the other sources of that memory."""
    async with tiered_platform(settings) as (resources, client):
        mined = [await client.experience("noah", similar_text.strip(), type="action") for similar_text in SIMILAR_TEXTS]
        await client.experience("noah", "Mira sang a canary song", type="conversation")
        done = await consolidate(client, "noah")
        assert (done.gone, done.view.short, done.view.long) == (4, 0, 2)
        await until_idle(resources)
        await assert_as_folded(resources)
    await forget(settings, [Thing("memory", mined[1])])
    async with running_services(settings, ("projector",)) as resources:
        left = await effective_events(resources.log)
        words = [event for event in left if isinstance(event, ExperienceOffered | ExperienceRecorded | MemoryFormed)]
        assert words
        assert not [word for word in words if "iron" in word.model_dump_json()]
        assert [memory.content for memory in await all_memories(resources)] == ["Mira sang a canary song"]
        await assert_as_folded(resources)
    await rebuild(settings)
    await assert_verified(settings)
