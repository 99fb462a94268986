"""A lexical index of the passages in a task's documents. All assignments of the task use the same cached index."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from nemuri_contracts.tasks import Detail
from nemuri_domain.language.chunks import split_into_chunks
from nemuri_domain.language.inverted_index import InvertedIndex
from nemuri_domain.language.request_items import requests
from nemuri_domain.language.tokenization import term_counts, terms
from nemuri_infra.process.byte_cache import ByteCache
from nemuri_infra.process.resource_limits import memory_limit
from nemuri_infra.stores.blobs import Blobs

PASSAGE_CHARACTERS = 1_500
"""Maximum number of characters of a passage."""
MOST_BYTES = 160 * 1024 * 1024
"""Maximum bytes of cached indexes; a sixth of the process's memory limit if that is less.

The least recently used index is dropped first.
"""
PASSAGE_BYTES = 900
"""Estimated bytes of a passage or a chunk in an index, without its terms."""


@dataclass(frozen=True, slots=True)
class PassageIndex:
    """The passages of a task's documents, in the order of the text, with an inverted index of their terms."""

    passages: tuple[Detail, ...]
    chunks: tuple[int, ...]
    """Position of each passage's chunk in the list of chunks, in the order of `passages`."""
    postings: InvertedIndex

    @property
    def nbytes(self) -> int:
        """Estimated memory in bytes."""
        return self.postings.nbytes + PASSAGE_BYTES * len(self.passages)

    @classmethod
    def of(cls, chunks: Sequence[Detail], texts: Sequence[str]) -> "PassageIndex":
        """Return the index of these chunks.

        `texts` has the text of each chunk. A megabyte takes a third of a second.
        """
        passages, places, postings = list[Detail](), list[int](), InvertedIndex()
        for place, (chunk, text) in enumerate(zip(chunks, texts, strict=True)):
            for span in split_into_chunks(text, characters=PASSAGE_CHARACTERS, pages=1):
                postings.add(len(passages), term_counts(text[span.start : span.end]))
                bounds = {"start": chunk.start + span.start, "end": chunk.start + span.end}
                passages.append(chunk.model_copy(update=bounds))
                places.append(place)
        return cls(tuple(passages), tuple(places), postings)

    def best(self, question: str) -> list[int]:
        """Return the positions of the passages that share terms with the question, in the order of `best_places`."""
        return best_places(question, self.postings, len(self.passages))


def _cache() -> ByteCache[tuple[Detail, ...], PassageIndex]:
    return ByteCache(min(memory_limit() // 6, MOST_BYTES), _bytes)


@dataclass(slots=True)
class PassageIndexes:
    """A cache of the most recently used passage indexes."""

    _known: ByteCache[tuple[Detail, ...], PassageIndex] = field(default_factory=_cache)
    _building: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def of(self, chunks: tuple[Detail, ...], blobs: Blobs) -> PassageIndex:
        """Return the index of these chunks.

        A missing index is built in a thread, and all other callers wait meanwhile.
        """
        async with self._building:
            found = self._known.get(chunks)
            if found is None:
                whole = {ref: await blobs.get(ref) for ref in {each.ref for each in chunks}}
                texts = [whole[each.ref][each.start : each.end] for each in chunks]
                found = await asyncio.to_thread(PassageIndex.of, chunks, texts)
                self._known.keep(chunks, found)
        return found


def _bytes(chunks: tuple[Detail, ...], index: PassageIndex) -> int:
    return index.nbytes + PASSAGE_BYTES * len(chunks)


def best_places(question: str, postings: InvertedIndex, rows: int) -> list[int]:
    """Return the indices of the texts in `postings` that share terms with the question, best first by BM25.

    `rows` is the number of texts. If the question lists several requests, the best text for every request comes before
    the second best for any.
    """
    asked = requests(question) or (question,)
    scores = postings.scores([terms(each) for each in asked], rows)
    ranks = np.where(scores > 0, (-scores).argsort(axis=1, kind="stable").argsort(axis=1), rows)
    nearest, best = ranks.min(axis=0, initial=rows), scores.max(axis=0, initial=0)
    found = [int(row) for row in np.flatnonzero(best > 0)]
    return sorted(found, key=lambda row: (nearest[row], -best[row], row))
