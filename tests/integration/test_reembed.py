"""The embedder is changed agent by agent. Memories can be recalled before, during and after the change."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import select

from nemuri.client.client import Client
from nemuri.operations.reembed import Reembedded, reembed
from nemuri.operations.session import OperationError
from nemuri.operations.views import verify
from nemuri.platform.serving import run_services
from nemuri_contracts.agents import Embedding, EmbeddingAdopted, MemoriesEmbedded
from nemuri_contracts.strength import MemoryEncoded
from nemuri_domain.language.tokenization import terms
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.embeddings.calibration import Calibration
from nemuri_infra.embeddings.general_texts import GENERAL_QUESTIONS, GENERAL_TEXTS
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.embeddings.unit_rows import normalised
from nemuri_infra.models.failures import ModelUnavailable
from nemuri_infra.projections import tables
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.vectors import vector_bucket
from tests.integration.harness import (
    ALL_SERVICES,
    agent_defined,
    assert_verified,
    opened_log,
    recorded_events,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.connected

KITCHEN = (
    "Salt the water before the pasta goes in",
    "Bread rises slower in a cold room",
    "Basil loses its smell when it is cooked",
    "A dull knife slips more often than a sharp one",
)


@dataclass
class WordCountEmbedder:
    """An embedder whose vectors count words. Like a paid provider, its vectors are stored; it counts the texts it was
    asked for.
    """

    stored: Final = True
    model: Final = "dictionary-1"
    dimension: Final = 64
    lexical: Final = False
    symmetric: Final = True
    calibration: Calibration | None = None
    embedded: Counter[str] = field(default_factory=Counter)
    calls_left: int | None = None
    """Number of calls until the provider becomes unavailable; None without limit."""
    released: asyncio.Event = field(default_factory=asyncio.Event)
    """Calls return only after this event is set."""
    called: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.released.set()

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of documents."""
        return await self.embed_documents(texts)

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors that have one component for each known term. The texts of a calibration are not counted."""
        if texts not in (GENERAL_TEXTS, GENERAL_QUESTIONS):
            await self._call(texts)
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in terms(text):
                row[sum(term.encode()) % self.dimension] += 1
        return normalised(rows)

    async def _call(self, texts: Sequence[str]) -> None:
        self.called.set()
        await self.released.wait()
        if self.calls_left is not None:
            if not self.calls_left:
                raise ModelUnavailable("the dictionary is closed")
            self.calls_left -= 1
        self.embedded.update(texts)

    async def aclose(self) -> None:
        """Do nothing."""


@asynccontextmanager
async def running_with_embedder(settings: Settings, embedder: Embedder) -> AsyncIterator[Resources]:
    """Run all services in this process with this embedder."""
    async with open_resources(settings) as usual:
        resources = replace(usual, vectors=replace(usual.vectors, embedder=embedder))
        async with run_services(resources, ALL_SERVICES):
            yield resources


@asynccontextmanager
async def client_of(settings: Settings) -> AsyncIterator[Client]:
    """Yield a client of the platform."""
    async with Client.connect(str(settings.nats_url), namespace=settings.namespace) as client:
        yield client


async def first_recalled(client: Client, query: str, agent: str = "cook") -> str:
    """Return the content of the first memory that a recall returns."""
    return (await client.recall(agent, query)).memories[0].memory.content


async def define_cooks(resources: Resources, client: Client, *names: str) -> list[UUID]:
    """Define agents that remember rules of the kitchen, and return the ids of the memories."""
    known: list[UUID] = []
    for name in names or ("cook",):
        await resources.log.append(agent_defined(name, description="food"))
        await client.settle()
        known += [await client.remember(name, rule) for rule in KITCHEN]
    return known


async def with_vectors(resources: Resources, generation: str) -> set[UUID]:
    """Return the ids of memories that have a vector of a generation (a model with a dimension)."""
    vector = tables.memory_vector.c
    async with resources.database.begin() as connection:
        found = await connection.execute(select(vector.memory_id).where(vector.model == generation))
        return set(found.scalars())


async def re_embedded(settings: Settings) -> list[UUID]:
    """Return the memory ids in all re-embedding events on the log, repetitions included."""
    async with opened_log(settings) as log:
        events = await recorded_events(log)
    return [memory_id for event in events if isinstance(event, MemoriesEmbedded) for memory_id in event.memory_ids]


async def test_another_dimension_of_the_same_model_is_another_generation(settings: Settings) -> None:
    """Another dimension of a model is another generation. Memories keep vectors of both, and recall uses the new
    one.
    """
    async with running_services(settings) as resources, client_of(settings) as client:
        known = await define_cooks(resources, client)
        before = (await client.recall("cook", "boil pasta")).memories[0].candidate.similarity
        assert await reembed(settings, embedder=BuiltInEmbedder(128)) == Reembedded(agents=1, memories=4)
        await client.settle()
        found = await client.recall("cook", "boil pasta")
        assert found.memories[0].memory.content == KITCHEN[0]
        assert found.memories[0].candidate.similarity != before
        assert (
            await with_vectors(resources, "nemuri-words-3.128")
            == await with_vectors(resources, "nemuri-words-3.256")
            == set(known)
        )
        [agent] = await client.agents("cook")
        assert agent.embedding == Embedding(model="nemuri-words-3", dimension=128)
        new = await client.remember("cook", "Rice wants twice its volume of water")
        assert new in await with_vectors(resources, "nemuri-words-3.128")
        await until_idle(resources)
        await assert_verified(settings)


async def test_a_memory_added_during_the_change_gets_both_vectors(settings: Settings) -> None:
    """Recall works while new vectors are made. A memory added meanwhile gets vectors of both models."""
    chosen = WordCountEmbedder()
    chosen.released.clear()
    async with running_services(settings) as resources, client_of(settings) as client:
        await define_cooks(resources, client)
        change = asyncio.create_task(reembed(settings, embedder=chosen))
        await chosen.called.wait()
        late = await client.remember("cook", "Garlic burns faster than onions")
        assert await first_recalled(client, "boil pasta") == KITCHEN[0]
        chosen.released.set()
        assert await change == Reembedded(agents=1, memories=5)
        await client.settle()
        assert late in await with_vectors(resources, "dictionary-1.64")
        assert late in await with_vectors(resources, "nemuri-words-3.256")
        # These services cannot call the new model. They use the vectors of their own model.
        assert await first_recalled(client, "burns garlic") == "Garlic burns faster than onions"
        later = await client.remember("cook", "Milk boils over as soon as nobody looks")
        assert await first_recalled(client, "milk boils") == "Milk boils over as soon as nobody looks"
        await until_idle(resources)
    async with running_with_embedder(settings, chosen) as resources, client_of(settings) as client:
        assert later not in await with_vectors(resources, "dictionary-1.64")
        assert await first_recalled(client, "milk boils") == "Milk boils over as soon as nobody looks"
        assert (await client.recall("cook", "milk boils")).memories[0].candidate.similarity > 0
        assert await reembed(settings, embedder=chosen) == Reembedded(agents=0, memories=1)
        assert later in await with_vectors(resources, "dictionary-1.64")
        await until_idle(resources)
    await assert_verified(settings)


async def test_an_interrupted_change_is_continued(settings: Settings) -> None:
    """An interrupted change can be continued: no text is embedded twice, and agents that have switched stay
    switched.
    """
    chosen = WordCountEmbedder(calls_left=1)
    async with running_services(settings) as resources, client_of(settings) as client:
        known = await define_cooks(resources, client, "chef", "cook")
        with pytest.raises(OperationError, match="the dictionary is closed; nothing is lost"):
            await reembed(settings, embedder=replace(chosen, calls_left=0))
        await client.remember("cook", "Only the cook knows this")
        with pytest.raises(OperationError, match="the dictionary is closed"):
            await reembed(settings, embedder=chosen)
        await client.settle()
        assert [agent.embedding.model for agent in await client.agents()] == ["dictionary-1", "nemuri-words-3"]
        assert (
            await first_recalled(client, "cold bread", "chef")
            == await first_recalled(client, "cold bread")
            == KITCHEN[1]
        )
        chosen.calls_left = None
        assert await reembed(settings, embedder=chosen) == Reembedded(agents=1, memories=5)
        assert await reembed(settings, embedder=chosen) == Reembedded(agents=0, memories=0)
        assert set(chosen.embedded.values()) == {1}
        anew = await re_embedded(settings)
        assert len(anew) == len(set(anew)) == len(known) + 1
        await until_idle(resources)
    await assert_verified(settings)


async def test_two_concurrent_changes_count_once(settings: Settings) -> None:
    """Two changes at the same time have the effect of one, because their events have the same ids."""
    async with running_services(settings) as resources, client_of(settings) as client:
        known = await define_cooks(resources, client)
        await asyncio.gather(*(reembed(settings, embedder=BuiltInEmbedder(64)) for _ in range(2)))
        assert await with_vectors(resources, "nemuri-words-3.64") == set(known)
        async with opened_log(settings) as log:
            kinds = Counter(type(event) for event in await recorded_events(log))
        assert kinds[MemoriesEmbedded] == kinds[EmbeddingAdopted] == 1
        await until_idle(resources)
    await assert_verified(settings)


async def test_a_change_back_to_a_former_model_embeds_nothing(settings: Settings) -> None:
    """A change back to a former model embeds no text, because that model's vectors are stored."""
    async with running_services(settings) as resources, client_of(settings) as client:
        await define_cooks(resources, client)
        changes = [await reembed(settings, embedder=BuiltInEmbedder(each)) for each in (128, 256, 128)]
        assert changes == [Reembedded(1, 4), Reembedded(1, 0), Reembedded(1, 0)]
        await client.settle()
        [agent] = await client.agents("cook")
        assert agent.embedding.dimension == 128
        assert await first_recalled(client, "boil pasta") == KITCHEN[0]
        await until_idle(resources)
    await assert_verified(settings)


async def test_a_change_without_services_is_complete(settings: Settings) -> None:
    """A change is complete although no service runs, and services with the new embedder use its vectors.

    Agents that a society's host keeps are left unchanged, because the host has its own embedder.
    """
    chosen = WordCountEmbedder()
    async with running_services(settings) as resources, client_of(settings) as client:
        await define_cooks(resources, client)
        await resources.log.append(agent_defined("resident", perspectives=(), memory="tiered", kept_by="host"))
        await until_idle(resources)
    progress: list[tuple[int, int]] = []
    assert await reembed(settings, lambda done, total: progress.append((done, total)), embedder=chosen) == Reembedded(
        1, 4
    )
    assert (progress[0], progress[-1]) == ((0, 4), (4, 4))
    async with running_with_embedder(settings, chosen) as resources, client_of(settings) as client:
        [cook, resident] = await client.agents()
        assert (resident.agent_id, cook.embedding.model) == ("resident", chosen.model)
        assert resident.embedding.model != chosen.model
        paid = chosen.embedded.total()
        assert await first_recalled(client, "boil pasta") == KITCHEN[0]
        assert chosen.embedded.total() == paid + 3, "only the query and its two expansions are embedded"
        new = await client.remember("cook", "Rice wants twice its volume of water")
        async with opened_log(settings) as log:
            [event] = [each for each in await recorded_events(log) if each.event_id == new]
        assert isinstance(event, MemoryEncoded)
        assert event.vector.startswith("dictionary-1.64.")
        await until_idle(resources)
    await assert_verified(settings)


async def test_lost_vectors_are_reported(settings: Settings) -> None:
    """If vectors are missing in the store, the change ends with an error that recommends a rebuild."""
    chosen = WordCountEmbedder()
    async with running_services(settings) as resources, client_of(settings) as client:
        await define_cooks(resources, client)
        await reembed(settings, embedder=chosen)
        await resources.log.stream.purge_stream(f"KV_{vector_bucket(settings.namespace)}")
        async with resources.database.begin() as connection:
            await connection.execute(
                tables.memory_vector.delete().where(tables.memory_vector.c.model != "nemuri-words-3.256")
            )
        with pytest.raises(OperationError, match="run `nemuri rebuild --from-start` first"):
            await reembed(settings, embedder=chosen)
        assert len((await verify(settings)).differences) == len(KITCHEN)
