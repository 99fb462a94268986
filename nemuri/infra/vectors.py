"""The vector store: the vectors of texts, so that a replay never calls a model; no source of facts."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol, Self

import numpy as np
from nats.js.errors import KeyNotFoundError, NoKeysError
from nats.js.kv import KeyValue
from numpy.typing import NDArray

from nemuri.infra.embeddings.hashing import HashingEmbedder
from nemuri.infra.embeddings.protocol import Embedder
from nemuri.infra.log import Log

HASHING = HashingEmbedder().model


def vector_bucket(namespace: str) -> str:
    """The name of the namespace's vector store."""
    return f"{namespace}-vectors"


def vector_key(model: str, dimension: int, text: str) -> str:
    """Where the vector of a text is kept: model, dimension and the sha256 of the text."""
    return f"{model}.{dimension}.{sha256(text.encode()).hexdigest()}"


class VectorSource(Protocol):
    """Where vectors of the past come from."""

    async def recorded(self, texts: Mapping[str, str]) -> Mapping[str, NDArray[np.float32] | None]:
        """The vectors under keys; None for one that is not there any more."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of texts, so that a replay never calls a model."""

    store: KeyValue
    embedder: Embedder

    @classmethod
    async def open(cls, log: Log, embedder: Embedder) -> Self:
        """The vectors of the log's namespace, made by `embedder` where they are not there yet."""
        return cls(await log.stream.key_value(vector_bucket(log.subjects.namespace)), embedder)

    def key(self, text: str) -> str:
        """The key of a text's vector."""
        return vector_key(self.embedder.model, self.embedder.dimension, text)

    async def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of texts, shape (n, dimension), rows of length 1 or 0; written down before they are returned."""
        if not self.embedder.stored:
            return await self.embedder.embed(texts)
        rows = [await self._stored(self.key(text)) for text in texts]
        missing = [place for place, row in enumerate(rows) if row is None]
        if missing:
            made = await self.embedder.embed([texts[place] for place in missing])
            for place, row in zip(missing, made, strict=True):
                await self.store.put(self.key(texts[place]), row.astype(np.float32).tobytes())
                rows[place] = row
        empty = np.zeros((0, self.embedder.dimension), dtype=np.float32)
        return np.stack([row for row in rows if row is not None]) if rows else empty

    async def recorded(self, texts: Mapping[str, str]) -> dict[str, NDArray[np.float32] | None]:
        """The vectors under keys, whichever model made them; `texts` are the keys and the texts they stand for.

        Vectors of the hashing embedder are computed again. None for a vector that is not there any more.
        """
        found: dict[str, NDArray[np.float32] | None] = {}
        for key, text in texts.items():
            model, dimension, _ = key.rsplit(".", 2)
            if model == HASHING:
                found[key] = (await HashingEmbedder(int(dimension)).embed([text]))[0]
            else:
                found[key] = await self._stored(key)
        return found

    async def everything(self) -> AsyncIterator[tuple[str, bytes]]:
        """Every stored vector: its key and its numbers as raw little-endian float32."""
        try:
            keys = await self.store.keys()
        except NoKeysError:
            return
        for key in keys:
            entry = await self.store.get(key)
            yield key, entry.value or b""

    async def put(self, key: str, data: bytes) -> None:
        """Store a vector that was exported."""
        await self.store.put(key, data)

    async def _stored(self, key: str) -> NDArray[np.float32] | None:
        try:
            entry = await self.store.get(key)
        except KeyNotFoundError:
            return None
        return np.frombuffer(entry.value or b"", dtype=np.float32)
