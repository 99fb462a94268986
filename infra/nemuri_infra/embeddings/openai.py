"""An embedder that uses an embedding model of OpenAI or of a compatible server."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from nemuri_domain.language.token_estimate import estimate_tokens, truncate
from nemuri_infra.embeddings.prompts import NO_PROMPTS, Prompts
from nemuri_infra.embeddings.unit_rows import normalised
from nemuri_infra.models.failures import ModelUnusable
from nemuri_infra.models.network_guard import require_allowed
from nemuri_infra.models.provider_calls import read_body, sendable, translated_errors
from nemuri_infra.models.retries import Retries, call_with_retries

LONGEST_TEXT: Final = 6_000
"""Maximum number of estimated tokens of a text. The rest of the text is cut off.

The models accept 8,192 tokens, and the estimate is accurate to about a quarter.
"""
BATCH_TEXTS: Final = 256
BATCH_TOKENS: Final = 150_000
"""Maximum number of estimated tokens of one request. OpenAI accepts 300,000."""

KNOWN_DIMENSIONS: Final = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
    **{
        f"{kind}-{size}{version}": dimension
        for kind, version in (("multilingual-e5", ""), ("e5", ""), ("e5", "-v2"))
        for size, dimension in (("small", 384), ("base", 768), ("large", 1024))
    },
}
"""Dimensions by the name of the model, without the organisation in front of a slash."""


class _Vector(BaseModel):
    index: int
    embedding: list[float]


class _Vectors(BaseModel):
    data: list[_Vector]


class OpenAIEmbedder:
    """An embedder that calls one model of a server at a base URL. It sends texts in batches and retries failed
    requests.

    The constructor imports the SDK. `prompts` are sent in front of each query and each document.
    """

    stored: Final = True
    calibration: Final = None

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        name: str,
        dimension: int,
        timeout: float,
        retries: Retries | None = None,
        prompts: Prompts = NO_PROMPTS,
    ) -> None:
        import openai

        self._sdk = openai
        self._client = openai.AsyncOpenAI(api_key=api_key, base_url=base_url, timeout=timeout, max_retries=0)
        self._secret = api_key
        self._base_url = base_url
        self._name = name
        self._timeout = timeout
        self._retries = retries or Retries()
        self._prompts = prompts
        self.symmetric: Final = prompts.symmetric
        self.model: Final = prompts.named(safe_name(name))
        self.dimension: Final = dimension

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of documents, shape (len(texts), dimension).

        Blank texts are not sent; their rows are zeros. Raises `ModelUnavailable` or `ModelRefused` if the provider
        fails.
        """
        return await self._rows(texts, self._prompts.document)

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of queries, shape (len(texts), dimension); see `embed_documents`."""
        return await self._rows(texts, self._prompts.query)

    async def _rows(self, texts: Sequence[str], prompt: str) -> NDArray[np.float32]:
        require_allowed(self._base_url)
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for places, batch in _batches(texts, prompt):
            rows[places] = await call_with_retries(partial(self._embed, batch), self._retries)
        return normalised(rows)

    async def _embed(self, batch: list[str]) -> NDArray[np.float32]:
        body = read_body(self._name, await self._post(batch), _Vectors)
        ordered = {vector.index: vector.embedding for vector in body.data}
        rows = [ordered.get(index, []) for index in range(len(batch))]
        wrong = next((len(row) for row in rows if len(row) != self.dimension), None)
        if wrong is not None:
            raise ModelUnusable(f"{self._name}: a vector of {wrong} numbers instead of {self.dimension}")
        vectors = np.array(rows, dtype=np.float32)
        if not np.isfinite(vectors).all():
            raise ModelUnusable(f"{self._name}: a vector with numbers that are not finite")
        return vectors

    async def _post(self, batch: list[str]) -> bytes:
        shortened = self._name.startswith("text-embedding-3") and self.dimension != KNOWN_DIMENSIONS.get(self._name)
        async with translated_errors(self._sdk, self._name, timeout=self._timeout, secret=self._secret):
            raw = await self._client.embeddings.with_raw_response.create(
                model=self._name,
                input=batch,
                encoding_format="float",
                dimensions=self.dimension if shortened else self._sdk.omit,
            )
        return raw.http_response.content

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()


def safe_name(name: str) -> str:
    """Return the name with every character outside [A-Za-z0-9._-] replaced by a hyphen."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-")


def known_dimension(name: str) -> int | None:
    """Return the dimension of the vectors of a model; None if it is unknown."""
    return KNOWN_DIMENSIONS.get(name.rpartition("/")[2])


def _batches(texts: Sequence[str], prompt: str) -> Iterator[tuple[list[int], list[str]]]:
    places: list[int] = []
    batch: list[str] = []
    tokens = 0
    for index, text in enumerate(texts):
        if not text.strip():
            continue
        cut = prompt + truncate(sendable(text), LONGEST_TEXT)
        cost = estimate_tokens(cut)
        if batch and (len(batch) == BATCH_TEXTS or tokens + cost > BATCH_TOKENS):
            yield places, batch
            places, batch, tokens = [], [], 0
        places.append(index)
        batch.append(cut)
        tokens += cost
    if batch:
        yield places, batch
