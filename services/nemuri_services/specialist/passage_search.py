"""Relevance of the units of a task's documents to a request: by words, by vectors, and by their neighbours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.tokenization import terms
from nemuri_infra.embeddings.calibrated import CalibratedEmbedder
from nemuri_infra.process.byte_cache import ByteCache
from nemuri_services.specialist.passage_index import PassageIndex

MOST_EMBEDDED: Final = 512
"""Maximum number of rows whose vectors are compared with a request: those that fit best by words. So a long document
costs no more than a short one.
"""
EXPANSION_WEIGHT: Final = 0.5
"""Weight of the words of a perspective, relative to the words of the request."""
MEMORY_WEIGHT: Final = 0.5
"""Weight of the share of a memory's words that a row has, relative to the share of the request's words that the best
row has. So memories lead where the documents hardly have the words of the request.
"""
CACHED_VECTOR_BYTES: Final = 32 * 1024 * 1024
"""Maximum bytes of the vectors of rows that a process keeps. They are not stored: a process computes them again."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request to documents, and what else says what it is about."""

    request: str
    expansions: tuple[str, ...] = ()
    """Words of the agent's perspectives."""
    remembered: tuple[str, ...] = ()
    """Texts of memories that were retrieved for the request."""


@dataclass(frozen=True, slots=True)
class Channels:
    """The channels by which rows are compared with a request. A benchmark switches them off one by one."""

    words: bool = True
    vectors: bool = True
    neighbours: bool = True


ALL_CHANNELS: Final = Channels()


@dataclass(slots=True)
class RowVectors:
    """The centred vectors of documents by an embedder. The most recently used ones are kept in memory."""

    _known: ByteCache[tuple[str, str], Floats] = field(
        default_factory=lambda: ByteCache(CACHED_VECTOR_BYTES, lambda key, row: len(key[1]) * 2 + row.nbytes)
    )

    async def of(self, texts: Sequence[str], embedder: CalibratedEmbedder) -> Floats:
        """Return the vectors of the texts, shape (len(texts), dimension)."""
        name = embedder.space
        held = {text: self._known.get((name, text)) for text in texts}
        missing = [text for text, row in held.items() if row is None]
        made = await embedder.documents(missing) if missing else ()
        fresh = dict(zip(missing, made, strict=True))
        for text, row in fresh.items():
            self._known.keep((name, text), row)
        known = {text: row for text, row in held.items() if row is not None} | fresh
        return np.stack([known[text] for text in texts]) if texts else np.zeros((0, embedder.dimension), np.float32)


async def relevance(
    index: PassageIndex,
    wanted: Wanted,
    texts: Mapping[str, str],
    embedder: CalibratedEmbedder,
    rows: RowVectors,
    channels: Channels = ALL_CHANNELS,
) -> Floats:
    """Return the relevance of each row of the index to a request, shape (rows,), 0 to about 1; 0 for no relation.

    `texts` has the text of each document by its ref. The relevance is the mean of BM25 / max and the cosine, plus what
    the row shares with memories. A turn of a conversation is also as relevant as its neighbours make it.
    """
    words = by_words(index, wanted) if channels.words else np.zeros(len(index), np.float32)
    own = words
    if channels.vectors:
        cosines = await _cosines(index, wanted.request, words, texts, embedder, rows)
        own = (words + cosines) / np.float32(2) if channels.words else cosines
    if wanted.remembered:
        known = index.postings.shares(terms(wanted.request), len(index)).max(initial=0)
        top = max(float(own.max(initial=0)), 1e-9)
        own = own * np.float32(known / top) + np.float32(MEMORY_WEIGHT) * by_memories(index, wanted.remembered)
    if not channels.neighbours:
        return own
    found: Floats
    found, _ = index.turns.spread(own, own > 0, np.ones(len(index), np.bool_))
    return found


def by_words(index: PassageIndex, wanted: Wanted) -> Floats:
    """Return BM25 / max of each row for the request; for an expansion it is multiplied by `EXPANSION_WEIGHT`."""
    scores = index.postings.scores([terms(text) for text in (wanted.request, *wanted.expansions)], len(index))
    scores /= np.maximum(scores.max(axis=1, keepdims=True, initial=0), np.float32(1e-9))
    scores[1:] *= EXPANSION_WEIGHT
    found: Floats = scores.max(axis=0)
    return found


def by_memories(index: PassageIndex, remembered: Sequence[str]) -> Floats:
    """Return the largest share of a memory's telling words that each row has, 0 to 1."""
    best = np.zeros(len(index), np.float32)
    for memory in remembered:
        best = np.maximum(best, index.postings.shares(terms(memory), len(index)))
    return best


async def _cosines(
    index: PassageIndex,
    request: str,
    words: Floats,
    texts: Mapping[str, str],
    embedder: CalibratedEmbedder,
    rows: RowVectors,
) -> Floats:
    """Return the cosine of each of the rows that fit best by words; 0 for the others and below the threshold."""
    chosen = (-words).argsort(kind="stable")[:MOST_EMBEDDED] if len(index) > MOST_EMBEDDED else np.arange(len(index))
    [asked] = await embedder.queries([request])
    near = await rows.of([index.text(int(row), texts) for row in chosen], embedder) @ asked
    found = np.zeros(len(index), np.float32)
    found[chosen] = np.where(near >= embedder.thresholds.relevance, near, 0)
    return found
