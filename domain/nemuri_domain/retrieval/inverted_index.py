"""An inverted index with Okapi BM25 weights, stored in compact arrays."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.tokenization import topic_weight
from nemuri_domain.retrieval.sparse_columns import Columns, SparseColumns

K1: Final = 1.2
B: Final = 0.75
ADDED_TEXTS: Final = 100
"""Number of empty texts that `shares` adds to the index when it computes the idf, because rarity in a small index means
little.
"""
FULL_QUERY_TERMS: Final = 24
"""Maximum weight of a query in `shares`, as a multiple of the weight of a term that no text has. A longer query counts
as a query of this weight.
"""
MAX_COUNT: Final = 255
"""Maximum stored count of a term in a row. A higher count would hardly change BM25."""

Floats = NDArray[np.float32]


class InvertedIndex:
    """An inverted index of rows. A row is a small integer that the caller assigns to a text. Not thread-safe.

    It takes about 8 bytes of memory for each distinct term of a row, and 12 for each term of the vocabulary. It holds
    hashes of terms and not the terms.
    """

    def __init__(self, terms: Columns | None = None, lengths: Floats | None = None) -> None:
        """Create an empty index, or one with the `terms` and `lengths` of another index."""
        self._terms = SparseColumns() if terms is None else SparseColumns(terms)
        self._lengths: Floats = np.zeros(0, np.float32) if lengths is None else lengths.copy()
        self._count = int((self._lengths != _ABSENT).sum())
        self._total = int(self._lengths[self._lengths != _ABSENT].sum())

    @property
    def nbytes(self) -> int:
        """Return the size of the index in bytes of memory."""
        return self._lengths.nbytes + self._terms.nbytes

    @property
    def terms(self) -> Columns:
        """Return the count of each term in each row. A column is named by the hash of a term."""
        return self._terms.merged()

    def lengths(self, rows: int) -> Floats:
        """Return the number of terms of each of the rows 0 … `rows` - 1; -1 for a row that is not in the index."""
        self._reserve(rows)
        return self._lengths[:rows]

    def __len__(self) -> int:
        return self._count

    def holding(self, term: str) -> int:
        """Return the number of rows that have the term."""
        return sum(len(at) for at, _ in self._terms.column(_hashed(term)))

    def add(self, row: int, counts: Mapping[str, int]) -> None:
        """Add a row with the count of each of its terms. The row must not be in the index."""
        self._reserve(row + 1)
        keys = np.fromiter(map(_hashed, counts), np.uint64, len(counts))
        held = np.minimum(np.fromiter(counts.values(), np.float32, len(counts)), MAX_COUNT)
        self._terms.add(keys, np.full(len(counts), row, np.uint32), held)
        self._lengths[row] = length = sum(counts.values())
        self._total += length
        self._count += 1

    def remove(self, rows: Iterable[int]) -> None:
        """Remove rows with their terms. Raises KeyError if a row is not in the index."""
        for row in (gone := list(rows)):
            if row >= len(self._lengths) or self._lengths[row] == _ABSENT:
                raise KeyError(row)
            self._total -= int(self._lengths[row])
            self._lengths[row] = _ABSENT
            self._count -= 1
        self._terms.remove(gone)

    def kept(self, rows: NDArray[np.intp]) -> "InvertedIndex":
        """Return an index of these rows, which ascend, numbered from 0."""
        if not len(self):
            return self
        keys, at, counts = self._terms.merged().flat()
        there = np.isin(at, rows)
        numbers = np.searchsorted(rows, at[there]).astype(np.uint32)
        return InvertedIndex(
            Columns.sorted(keys[there], numbers, counts[there]), self.lengths(int(rows.max(initial=0)) + 1)[rows]
        )

    def scores(self, queries: Sequence[Sequence[str]], rows: int) -> Floats:
        """Return the BM25 scores of the rows 0 … `rows` - 1 for each query, shape (queries, rows). Without a shared
        term a score is 0.

        idf = ln(1 + (N - n + ½) / (n + ½)), where n of all N rows of the index have the term. A term that occurs twice
        in a query counts twice.
        """
        return self.scores_and_limits(queries, rows)[0]

    def scores_and_limits(self, queries: Sequence[Sequence[str]], rows: int) -> tuple[Floats, Floats]:
        """Return the BM25 scores, and the limit of the score for each query, shape (queries,): that of a text of
        nothing but its terms. The limit is 0 for a query without terms.
        """
        wanted: dict[str, Counter[int]] = {}
        for number, query in enumerate(queries):
            for term in query:
                wanted.setdefault(term, Counter())[number] += 1
        askers: dict[tuple[tuple[int, int], ...], list[str]] = {}
        for term, counts in wanted.items():
            askers.setdefault(tuple(counts.items()), []).append(term)
        scores, limits = np.zeros((len(queries), rows), np.float32), np.zeros(len(queries), np.float32)
        for asking, terms in askers.items():  # Expansions share the terms of their query: these are looked up once.
            shared, limit = self._scores(terms, rows)
            for number, times in asking:
                scores[number] += times * shared
                limits[number] += times * limit
        return scores, limits

    def _scores(self, terms: Sequence[str], rows: int) -> tuple[Floats, float]:
        """Return the BM25 scores for distinct terms, shape (rows,), and their limit."""
        columns = [list(self._terms.column(_hashed(term))) for term in terms]
        highest = [(K1 + 1) * rarity(self._count, sum(len(at) for at, _ in parts)) for parts in columns]
        entries = [(at, count, most) for parts, most in zip(columns, highest, strict=True) for at, count in parts]
        if not entries:
            return np.zeros(rows, np.float32), sum(highest)
        at = np.concatenate([part for part, _, _ in entries])
        count = np.concatenate([part for _, part, _ in entries])
        most = np.repeat(np.array([part for _, _, part in entries], np.float32), [len(part) for part, _, _ in entries])
        slope = K1 * B * self._count / max(self._total, 1)
        damping = self.lengths(rows)[at] * np.float32(slope) + np.float32(K1 * (1 - B))
        scores: Floats = np.bincount(at, most * count / (count + damping), rows).astype(np.float32)
        return scores, sum(highest)

    def shares(self, query: Sequence[str], rows: int) -> Floats:
        """Return the share of the query that each of the rows 0 … `rows` - 1 contains, shape (rows,), 0 to 1.

        It is the idf of the query's terms that the row has, divided by the idf of all distinct terms of the query plus
        one unknown term. So in a short query, a common term is only a small share. Each term is weighted by
        `topic_weight`; a query in which all terms have weight 0 gives 0. The share of a row does not depend on the
        other rows of the result.
        """
        held, weights = np.zeros(rows, np.float32), self.weights(query)
        for term, weight in weights.items():
            for at, _ in self._terms.column(_hashed(term)):
                held[at] += np.float32(weight)
        shares: Floats = np.minimum(held / np.float32(self.full_weight(weights.values())), 1)
        return shares

    def weights(self, query: Iterable[str]) -> dict[str, float]:
        """Return the idf of each distinct term of the query times its `topic_weight`, without terms of weight 0."""
        texts, found = self._count + ADDED_TEXTS, dict[str, float]()
        for term in dict.fromkeys(query):
            if told := topic_weight(term):
                holding = sum(len(at) for at, _ in self._terms.column(_hashed(term)))
                found[term] = rarity(texts, holding) * told
        return found

    def full_weight(self, weights: Iterable[float]) -> float:
        """Return the weight of a query whose terms have these weights, and one unknown term."""
        rarest = rarity(self._count + ADDED_TEXTS, 0)
        return min(sum(weights), FULL_QUERY_TERMS * rarest) + rarest

    def _reserve(self, rows: int) -> None:
        if rows > len(self._lengths):
            grown = np.full(max(64, 2 * rows), _ABSENT, np.float32)
            grown[: len(self._lengths)] = self._lengths
            self._lengths = grown


_ABSENT: Final = -1


@lru_cache(maxsize=65_536)
def _hashed(term: str) -> int:
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def rarity(texts: int, holding: int) -> float:
    """Return the idf of a term that `holding` of `texts` texts have."""
    return math.log(1 + (texts - holding + 0.5) / (holding + 0.5))
