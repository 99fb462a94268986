"""Tests of calibrated vectors: queries beside documents, a calibration by memories, and what follows it."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256

import numpy as np
import pytest
from numpy.typing import NDArray

from nemuri.client.client import Client
from nemuri.operations.embedder import calibrate_embedder, show_embedder
from nemuri.operations.session import OperationError
from nemuri.platform.serving import run_services
from nemuri_contracts.agents import Embedding
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.embeddings.calibration import Calibration, Thresholds
from nemuri_infra.embeddings.general_texts import GENERAL_TEXTS
from nemuri_infra.embeddings.unit_rows import normalised
from nemuri_infra.retrieval.self_calibration import ENOUGH
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores import calibrations
from nemuri_infra.stores.calibrations import Calibrations
from nemuri_infra.stores.vectors import hash_in
from tests.integration.harness import ALL_SERVICES, agent_defined

pytestmark = pytest.mark.connected

DIMENSION = 128


@dataclass
class ConeEmbedder:
    """An embedder whose vectors compare spelling and lie in a narrow cone. Queries lie beside documents."""

    model: str = "cone-1"
    dimension: int = DIMENSION
    stored: bool = True
    lexical: bool = False
    symmetric: bool = False
    calibration: Calibration | None = None
    embedded: Counter[str] = field(default_factory=Counter)

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of documents."""
        return self._rows(texts, 0.0)

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of queries."""
        return self._rows(texts, 0.02)

    def _rows(self, texts: Sequence[str], aside: float) -> NDArray[np.float32]:
        self.embedded.update(texts)
        rows = BuiltInEmbedder(DIMENSION).rows(texts) / np.float32(3)
        rows[:, 0] += 1
        rows[:, 1] += aside
        return normalised(rows)

    async def aclose(self) -> None:
        """Do nothing."""


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[tuple[Resources, ConeEmbedder]]:
    """Yield the resources of a process with this embedder."""
    async with open_resources(settings) as usual:
        embedder = ConeEmbedder()
        yield replace(usual, vectors=replace(usual.vectors, embedder=embedder)), embedder


@asynccontextmanager
async def client_of(settings: Settings) -> AsyncIterator[Client]:
    """Yield a client of the platform."""
    async with Client.connect(str(settings.nats_url), namespace=settings.namespace) as client:
        yield client


async def remember(settings: Settings, resources: Resources, number: int) -> None:
    """Let a new agent remember this number of different facts. The services must run."""
    embedding = Embedding(model=ConeEmbedder.model, dimension=DIMENSION)
    await resources.log.append(agent_defined().model_copy(update={"embedding": embedding}))
    async with client_of(settings) as client:
        await client.settle()
        for each in range(number):
            await client.remember("python", f"Shelf {each} holds {sha256(str(each).encode()).hexdigest()[:12]}")
        await client.settle()


async def test_queries_are_stored_beside_documents(settings: Settings) -> None:
    """A query and a document with the same text have vectors of their own. Neither is computed twice, and an erasure of
    the text deletes both, by the generation or in the whole store.
    """
    async with opened(settings) as (resources, embedder):
        for generations in ({resources.vectors.generation}, None):
            vectors = await resources.vectors.calibrated()
            for _ in range(2):
                query, document = await vectors.of_queries(["the same"]), await vectors.of(["the same"])
            assert not np.allclose(query, document)
            keys = {key async for key, _ in vectors.all_vectors()}
            assert keys == {vectors.key("the same"), vectors.query_key("the same")}
            assert {hash_in(each) for each in keys} == {sha256(b"the same").hexdigest()}
            await vectors.erase({sha256(b"the same").hexdigest()}, generations)
            assert not [key async for key, _ in vectors.all_vectors()]
        assert embedder.embedded["the same"] == 4


async def test_a_symmetric_embedder_keeps_one_vector_of_a_text(settings: Settings) -> None:
    """If queries and documents have equal vectors, only one is stored."""
    async with opened(settings) as (resources, embedder):
        embedder.symmetric = True
        vectors = await resources.vectors.calibrated()
        assert np.array_equal(await vectors.of_queries(["once"]), await vectors.of(["once"]))
        assert embedder.embedded["once"] == 1


async def test_a_new_embedder_is_calibrated_on_general_texts_once(settings: Settings) -> None:
    """With its first vector, an embedder is calibrated on general texts, by one process for all. The stored vectors
    stay those of the model, and what is compared is centred.
    """
    async with opened(settings) as (resources, embedder):
        vectors = resources.vectors
        with pytest.raises(RuntimeError, match="calibrated"):
            _ = vectors.thresholds
        assert (await vectors.calibrated()).comparing.calibration.sample == 0
        await vectors.store_missing(["one fact"])
        other = replace(vectors, calibrations=Calibrations(vectors.store))
        await other.store_missing(["another fact"])
        found = (await other.calibrated()).comparing.calibration
        assert (found.source, found.sample) == ("assumed", len(GENERAL_TEXTS))
        assert embedder.embedded[GENERAL_TEXTS[0]] == 1
        [stored] = [row for row in (await vectors.recorded({vectors.key("one fact"): ""})).values() if row is not None]
        assert stored == pytest.approx((await embedder.embed_documents(["one fact"]))[0])
        [centred] = await (await other.calibrated()).of(["one fact"])
        assert centred == pytest.approx(found.centred(stored[None])[0])


async def test_enough_memories_calibrate_their_embedder(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as there are enough memories, a recall calibrates the embedder by them. Every process follows, and its
    indexes and their thresholds with it; a recall finds the same memory before and after.
    """
    monkeypatch.setattr(calibrations, "CHECK_SECONDS", 0.0)
    async with opened(settings) as (resources, _), run_services(resources, ALL_SERVICES):
        await remember(settings, resources, ENOUGH - 1)
        other = replace(resources.vectors, calibrations=Calibrations(resources.vectors.store))
        async with client_of(settings) as client:
            wanted = "What does shelf 7 hold?"
            before = (await client.recall("python", wanted)).memories[0]
            assert (await other.calibrated()).comparing.calibration.source == "assumed"
            await client.remember("python", "The last shelf is empty.")
            await client.settle()
            after = (await client.recall("python", wanted)).memories[0]
            status = await client.status()
        found = await other.calibrated()
    assert before.memory.content == after.memory.content
    assert before.memory.content.startswith("Shelf 7 ")
    assert before.candidate.similarity != after.candidate.similarity
    calibration = found.comparing.calibration
    assert (calibration.source, calibration.sample) == ("measured", ENOUGH)
    assert found.thresholds.relevance == pytest.approx(Thresholds().relevance * calibration.scale)
    assert status.calibration is not None
    assert (status.calibration.source, status.calibration.sample) == ("measured", ENOUGH)


async def test_an_operator_calibrates_with_fewer_memories(settings: Settings) -> None:
    """`calibrate_embedder` measures on twenty texts or more. It refuses fewer, and an embedder that needs none."""
    with pytest.raises(OperationError, match="comes with its calibration"):
        await calibrate_embedder(settings)
    assert (await show_embedder(settings)).calibration.source == "built-in"
    async with opened(settings) as (resources, _), run_services(resources, ALL_SERVICES):
        await remember(settings, resources, 19)
    with pytest.raises(OperationError, match="fewer than 20 different texts") as caught:
        await calibrate_embedder(settings, embedder=ConeEmbedder())
    assert "\n" not in str(caught.value)
    async with opened(settings) as (resources, _), run_services(resources, ALL_SERVICES), client_of(settings) as client:
        await client.remember("python", "The twentieth fact.")
        await client.settle()
    found = (await calibrate_embedder(settings, embedder=ConeEmbedder())).calibration
    assert (found.source, found.sample) == ("measured", 20)
    assert 0.8 < found.centre < 1
