"""Embeddings in OpenAI's format over the wire."""

import numpy as np
import pytest
from pydantic import AnyHttpUrl, SecretStr

from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.embeddings.openai import BATCH_TEXTS, OpenAIEmbedder
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.embeddings.settings import EmbeddingSettings
from nemuri_infra.models.failures import ModelRefused, ModelUnusable
from nemuri_infra.models.network_guard import ModelCallsForbidden
from nemuri_infra.models.openai import OPENAI_URL
from nemuri_infra.models.retries import Retries
from tests.integration.providers.provider import Provider, ScriptedReply, openai_embeddings

pytestmark = pytest.mark.connected

QUICK = Retries(attempts=2, budget=5.0, first_wait=0.001, longest_wait=0.01)


def embedder(url: str) -> Embedder:
    """Return an embedder of two dimensions at this address."""
    return OpenAIEmbedder(api_key="k", base_url=f"{url}/v1", name="org/tiny:1", dimension=2, timeout=5.0, retries=QUICK)


async def test_rows_are_normalised_and_in_order() -> None:
    """Vectors are normalised and ordered by their index. Blank texts are not sent and get zero vectors."""
    async with Provider([ScriptedReply(openai_embeddings([3, 4], [0, -2]))]) as provider:
        vectors = embedder(provider.url)
        rows = await vectors.embed_documents(["one", " \n", "two"])
        await vectors.aclose()
    assert vectors.model == "org-tiny-1"
    assert rows.dtype == np.float32
    assert np.allclose(rows, [[0.6, 0.8], [0.0, 0.0], [0.0, -1.0]], atol=1e-6)
    [request] = provider.received
    assert request.path == "/v1/embeddings"
    assert request.body == {"model": "org/tiny:1", "input": ["one", "two"], "encoding_format": "float"}


async def test_many_texts_go_in_batches() -> None:
    """Many texts are sent in batches of limited size, and the vectors are in the order of the texts."""
    replies = [
        ScriptedReply(openai_embeddings(*[[1.0, 0.0]] * BATCH_TEXTS)),
        ScriptedReply(openai_embeddings([0.0, 1.0])),
    ]
    async with Provider(replies) as provider:
        vectors = embedder(provider.url)
        rows = await vectors.embed_documents(["text"] * (BATCH_TEXTS + 1))
        await vectors.aclose()
    assert [len(request.body["input"]) for request in provider.received] == [BATCH_TEXTS, 1]
    assert rows[:, 1].tolist() == [0.0] * BATCH_TEXTS + [1.0]


@pytest.mark.parametrize(
    "body",
    [openai_embeddings(), openai_embeddings([1, 2, 3]), {"data": 3}, b'{"data":[{"index":0,"embedding":[1e999,0]}]}'],
)
async def test_unusable_vectors_are_requested_once_more(body: object) -> None:
    """Missing, infinite or malformed vectors are requested once more and then raise `ModelUnusable`."""
    async with Provider([ScriptedReply(body)]) as provider:
        vectors = embedder(provider.url)
        with pytest.raises(ModelUnusable):
            await vectors.embed_documents(["one"])
        await vectors.aclose()
    assert len(provider.received) == 2


async def test_a_failure_is_repeated_and_a_refusal_is_not() -> None:
    """A failure of the provider is retried and a refusal is not."""
    replies = [
        ScriptedReply({}, 500),
        ScriptedReply(openai_embeddings([1, 0])),
        ScriptedReply({"error": {"message": "no"}}, 401),
    ]
    async with Provider(replies) as provider:
        vectors = embedder(provider.url)
        assert (await vectors.embed_documents(["one"])).shape == (1, 2)
        with pytest.raises(ModelRefused, match="HTTP 401, no"):
            await vectors.embed_documents(["one"])
        await vectors.aclose()
    assert len(provider.received) == 3


async def test_a_shorter_dimension_is_requested() -> None:
    """A dimension below the model's own is requested from the provider."""
    async with Provider([ScriptedReply(openai_embeddings([1, 0, 0]))]) as provider:
        settings = EmbeddingSettings(
            spec="openai:text-embedding-3-small",
            dimension=3,
            openai_api_key=SecretStr("k"),
            openai_base_url=AnyHttpUrl(f"{provider.url}/v1"),
        )
        vectors = build_embedder(settings)
        await vectors.embed_documents(["one"])
        await vectors.aclose()
    assert provider.received[0].body["dimensions"] == 3
    assert (vectors.dimension, vectors.stored) == (3, True)


async def test_calls_off_this_machine_are_forbidden() -> None:
    """A call off this machine raises `ModelCallsForbidden`."""
    vectors = embedder(OPENAI_URL.removesuffix("/v1"))
    with pytest.raises(ModelCallsForbidden):
        await vectors.embed_documents(["one"])
    await vectors.aclose()
