"""The vector store: the embeddings of texts. They are stored so that a replay never calls a model.

It is not a source of facts.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Self

import numpy as np
from nats.js.errors import KeyNotFoundError
from nats.js.kv import KeyValue
from numpy.typing import NDArray

from nemuri_contracts.agents import Embedding
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.message_deletion import delete_message, sequences_on
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.embeddings.calibrated import CalibratedEmbedder
from nemuri_infra.embeddings.calibration import Calibration, Thresholds
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.stores.bucket_reader import BucketEntry, entries
from nemuri_infra.stores.calibrations import Calibrations, is_calibration

Embed = Callable[[Sequence[str]], Awaitable[NDArray[np.float32]]]
BUILT_IN = BuiltInEmbedder.model
CONCURRENT_VECTORS = 128
"""Number of vectors that are read or written concurrently."""


_KEY = re.compile(r"([A-Za-z0-9._-]{1,128})\.([1-9][0-9]{0,4})\.q?[0-9a-f]{64}")
_QUERY = "q"
"""Letter in front of the hash of a text that was embedded as a query."""
MAX_DIMENSION = 16_000
"""Maximum dimension of a vector that a database table can store."""


def vector_bucket(namespace: str) -> str:
    """Return the name of the namespace's vector store."""
    return f"{namespace}-vectors"


def vector_key(model: str, dimension: int, text: str) -> str:
    """Return the key of a text's vector. It consists of the model, the dimension and the sha256 of the text."""
    return f"{generation_of(model, dimension)}.{sha256(text.encode()).hexdigest()}"


def query_key(model: str, dimension: int, text: str) -> str:
    """Return the key of a text's vector as a query, for embedders that tell queries and documents apart."""
    return f"{generation_of(model, dimension)}.{_QUERY}{sha256(text.encode()).hexdigest()}"


def generation_of(model: str, dimension: int) -> str:
    """Return the generation of the vectors of this model and dimension. Their keys begin with it."""
    return f"{model}.{dimension}"


def generation_in(key: str) -> str:
    """Return the generation (model and dimension) in the key of a vector."""
    return key.rpartition(".")[0]


def hash_in(key: str) -> str:
    """Return the sha256 of the text, from the key of its vector as a document or as a query."""
    return key.rpartition(".")[2].removeprefix(_QUERY)


def bytes_under(key: str) -> int | None:
    """Return the size in bytes of the vector with this key; None if the key is invalid."""
    parts = _KEY.fullmatch(key)
    return np.dtype(np.float32).itemsize * int(parts[2]) if parts else None


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vector store of a namespace, with the embedder that computes missing vectors.

    The stored rows are those of the model. What is compared is centred by the embedder's calibration, which is fixed by
    `calibrated`, so that all rows of one comparison agree.
    """

    store: KeyValue
    embedder: Embedder
    log: Log
    calibrations: Calibrations
    calibration: Calibration | None = None

    @classmethod
    async def open(cls, log: Log, embedder: Embedder) -> Self:
        """Return the vector store of the log's namespace. Missing vectors are computed by `embedder`."""
        store = await log.stream.key_value(vector_bucket(log.subjects.namespace))
        return cls(store, embedder, log, Calibrations(store))

    @property
    def embedding(self) -> Embedding:
        """Return the model and dimension of the vectors that this store's embedder computes."""
        return Embedding(model=self.embedder.model, dimension=self.embedder.dimension)

    @property
    def generation(self) -> str:
        """Return the generation of the vectors that this store's embedder computes."""
        return generation_of(self.embedder.model, self.embedder.dimension)

    def with_embedder_of(self, embedding: Embedding) -> Self:
        """Return the vector store with the embedder of `embedding` if this process has it, otherwise this store
        unchanged.

        Every process can compute built-in vectors. Vectors of a model can be computed only if it is the configured
        one.
        """
        if embedding.model == BUILT_IN and generation_of(BUILT_IN, embedding.dimension) != self.generation:
            return replace(self, embedder=BuiltInEmbedder(embedding.dimension), calibration=None)
        return self

    async def calibrated(self) -> Self:
        """Return the same store with the calibration of its embedder that is in force now."""
        return replace(self, calibration=await self.calibrations.of(self.embedder))

    @property
    def comparing(self) -> CalibratedEmbedder:
        """Return the embedder with its calibration, for vectors that are not stored.

        Raises `RuntimeError` if the embedder has to be measured and the store is not the result of `calibrated`.
        """
        calibration = self.calibration or self.embedder.calibration
        if calibration is None:
            raise RuntimeError("vectors can be compared only after `Vectors.calibrated`")
        return CalibratedEmbedder(self.embedder, calibration)

    @property
    def thresholds(self) -> Thresholds:
        """Return the minimum cosines of centred vectors. Raises as `comparing` does."""
        return self.comparing.thresholds

    def centred(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return stored rows, shape (n, dimension), as they are compared. Raises as `comparing` does."""
        return self.comparing.calibration.centred(rows)

    def key(self, text: str) -> str:
        """Return the key under which the vector of a document by this store's embedder is stored."""
        return vector_key(self.embedder.model, self.embedder.dimension, text)

    def query_key(self, text: str) -> str:
        """Return the key under which the vector of a query is stored: that of the document if both are the same."""
        return (vector_key if self.embedder.symmetric else query_key)(
            self.embedder.model, self.embedder.dimension, text
        )

    async def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the centred vectors of documents, shape (n, dimension). Each row has length 1, or is zero for a text
        without content.

        Missing vectors are computed and stored first. Built-in vectors are computed each time and not stored. Raises as
        `comparing` and the embedder do.
        """
        return self.centred(await self._rows(texts, self.key, self.embedder.embed_documents))

    async def of_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the centred vectors of queries, shape (n, dimension); see `of`."""
        return self.centred(await self._rows(texts, self.query_key, self.embedder.embed_queries))

    async def store_missing(self, texts: Sequence[str]) -> None:
        """Compute and store the vectors of documents that are not stored yet. Does nothing for built-in vectors."""
        if self.embedder.stored:
            await self._rows(texts, self.key, self.embedder.embed_documents)

    async def _rows(self, texts: Sequence[str], key: Callable[[str], str], embed: Embed) -> NDArray[np.float32]:
        """Return the vectors of texts as the model gives them, shape (n, dimension)."""
        if not self.embedder.stored:
            return await embed(texts)
        rows: list[NDArray[np.float32]] = []
        for some in _slices(texts):
            rows += await self._made(some, key, embed)
        return np.stack(rows) if rows else np.zeros((0, self.embedder.dimension), dtype=np.float32)

    async def _made(self, texts: Sequence[str], key: Callable[[str], str], embed: Embed) -> list[NDArray[np.float32]]:
        """Return the vectors of a few texts. Vectors that are not in the store are computed and stored."""
        keys = [key(text) for text in texts]
        found = dict(zip(keys, await asyncio.gather(*map(self._stored, keys)), strict=True))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if found[key] is None}
        if missing:
            await self.calibrations.begin(self.embedder)
        made = (await embed(list(missing.values()))).astype("<f4") if missing else ()
        fresh = dict(zip(missing, made, strict=True))
        await asyncio.gather(*(self.store.put(key, row.tobytes()) for key, row in fresh.items()))
        known = {key: row for key, row in found.items() if row is not None} | fresh
        return [known[key] for key in keys]

    async def recorded(self, texts: Mapping[str, str]) -> dict[str, NDArray[np.float32] | None]:
        """Return the vectors with these keys, by key. `texts` maps each key to its text. The keys may be of several
        models.

        No model is called: built-in vectors are computed, all others are read. The value is None for a vector that is
        not stored or has too many dimensions for a table, and for an invalid key.
        """
        built_in: defaultdict[int, list[str]] = defaultdict(list)
        stored: list[str] = []
        for key in texts:
            parts = _KEY.fullmatch(key)
            if parts and int(parts[2]) <= MAX_DIMENSION:
                (built_in[int(parts[2])] if parts[1] == BUILT_IN else stored).append(key)
        found: dict[str, NDArray[np.float32] | None] = dict.fromkeys(texts)
        for length, keys in built_in.items():
            found |= zip(keys, await BuiltInEmbedder(length).embed_documents([texts[key] for key in keys]), strict=True)
        for some in _slices(stored):
            found |= zip(some, await asyncio.gather(*map(self._stored, some)), strict=True)
        return found

    async def all_vectors(self) -> AsyncIterator[tuple[str, bytes]]:
        """Yield the key of every stored vector, and its numbers as raw little-endian float32.

        Calibrations are left out, because they are made again from the vectors.
        """
        async for entry in self._entries():
            if not is_calibration(entry.key):
                yield entry.key, entry.value

    async def put(self, key: str, data: bytes) -> None:
        """Store a vector, for example from an export. `data` is raw little-endian float32."""
        await self.store.put(key, data)

    async def has_vectors(self) -> bool:
        """Return whether any vector is stored. Built-in vectors are never stored."""
        return bool((await self.log.stream.stream_info(f"KV_{self._bucket}")).state.messages)

    async def erase(self, hashes: Iterable[str], generations: Iterable[str] | None) -> None:
        """Delete the vectors of the texts with these hashes in these generations, and overwrite their bytes.

        If `generations` is None, the vectors of all generations are deleted. For this the whole store is scanned.
        """
        texts = set(hashes)
        if generations is None:
            keys = [entry.key async for entry in self._entries() if hash_in(entry.key) in texts]
        else:
            made = [f"{begun}{text}" for text in sorted(texts) for begun in ("", _QUERY)]
            keys = [f"{generation}.{vector_name}" for generation in generations for vector_name in made]
        for key in keys:
            async for sequence in sequences_on(self.log.stream, f"KV_{self._bucket}", f"$KV.{self._bucket}.{key}"):
                await delete_message(self.log.stream, f"KV_{self._bucket}", sequence)

    def _entries(self) -> AsyncIterator[BucketEntry]:
        return entries(self.log, self._bucket)

    @property
    def _bucket(self) -> str:
        return vector_bucket(self.log.subjects.namespace)

    async def _stored(self, key: str) -> NDArray[np.float32] | None:
        try:
            entry = await self.store.get(key)
        except KeyNotFoundError:
            return None
        data = entry.value or b""
        row = np.frombuffer(data, dtype="<f4") if len(data) == bytes_under(key) else None
        return row if row is not None and np.isfinite(row).all() else None


def _slices(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    return (texts[start : start + CONCURRENT_VECTORS] for start in range(0, len(texts), CONCURRENT_VECTORS))
