"""An inverted index with Okapi BM25 weights, stored in compact arrays."""

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.tokenization import topic_weight

K1: Final = 1.2
B: Final = 0.75
_COUNT_BITS: Final = 8
ADDED_TEXTS: Final = 100
"""Number of empty texts that `shares` adds to the index when it computes the idf, because rarity in a small index means
little.
"""
FULL_QUERY_TERMS: Final = 24
"""Maximum weight of a query in `shares`, as a multiple of the weight of a term that no text has. A longer query counts
as a query of this weight.
"""
_COUNT_MASK: Final = (1 << _COUNT_BITS) - 1
"""Maximum stored count of a term in a row. A higher count would hardly change BM25."""

TERM_BYTES: Final = 200
ROW_BYTES: Final = 150
PAIR_BYTES: Final = 8
"""Measured memory in bytes: `TERM_BYTES` for a term of the vocabulary, `ROW_BYTES` for a row, `PAIR_BYTES` for a
distinct term of a row.
"""


class InvertedIndex:
    """An inverted index of rows. A row is a small integer that the caller assigns to a text. Not thread-safe.

    It takes about 8 bytes of memory for each distinct term of a row, and 200 for each term of the vocabulary.
    """

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._terms: list[str] = []
        self._free: list[int] = []
        self._lists: list[array[int]] = []
        self._held: dict[int, array[int]] = {}
        self._lengths: NDArray[np.float32] = np.zeros(0, np.float32)
        self._total = 0
        self._pairs = 0

    @property
    def nbytes(self) -> int:
        """Estimated size of the index in bytes of memory, within about 25 %."""
        vocabulary, rows = TERM_BYTES * len(self._terms), ROW_BYTES * len(self._held)
        return self._lengths.nbytes + vocabulary + rows + PAIR_BYTES * self._pairs

    def __len__(self) -> int:
        return len(self._held)

    def add(self, row: int, counts: Mapping[str, int]) -> None:
        """Add a row with the count of each of its terms. The row must not be in the index."""
        if row >= len(self._lengths):
            grown = np.zeros(max(64, 2 * row), np.float32)
            grown[: len(self._lengths)] = self._lengths
            self._lengths = grown
        held = array("I")
        for term, count in counts.items():
            code = self._code(term)
            self._lists[code].append(row << _COUNT_BITS | min(count, _COUNT_MASK))
            held.append(code)
        length = sum(counts.values())
        self._held[row], self._lengths[row] = held, length
        self._total += length
        self._pairs += len(held)

    def remove(self, row: int) -> None:
        """Remove a row, and the terms that only this row has. Raises KeyError if the row is not in the index."""
        gone = self._held.pop(row)
        self._pairs -= len(gone)
        for code in gone:
            postings = self._lists[code]
            at = int(np.flatnonzero(np.frombuffer(postings, np.uint32) >> _COUNT_BITS == row)[0])
            postings.pop(at)
            if not postings:
                del self._codes[self._terms[code]]
                self._terms[code] = ""
                self._free.append(code)
        self._total -= int(self._lengths[row])
        self._lengths[row] = 0

    def scores(self, queries: Sequence[Sequence[str]], rows: int) -> NDArray[np.float32]:
        """Return the BM25 scores of the rows 0 … `rows` - 1 for each query, shape (queries, rows). Without a shared
        term a score is 0.

        idf = ln(1 + (N - n + ½) / (n + ½)), where n of all N rows of the index have the term. A term that occurs twice
        in a query counts twice.
        """
        result = np.zeros((len(queries), rows), np.float32)
        wanted: dict[int, dict[int, int]] = {}
        for number, query in enumerate(queries):
            for term in query:
                code = self._codes.get(term)
                if code is not None:
                    askers = wanted.setdefault(code, {})
                    askers[number] = askers.get(number, 0) + 1
        if not wanted or not self._total:
            return result
        damping = self._lengths[:rows] * np.float32(K1 * B * len(self._held) / self._total) + np.float32(K1 * (1 - B))
        for code, askers in wanted.items():
            postings = np.frombuffer(self._lists[code], np.uint32)
            at = postings >> _COUNT_BITS
            count = (postings & _COUNT_MASK).astype(np.float32)
            weight = count / (count + damping[at])
            for number, times in askers.items():
                result[number, at] += weight * np.float32(times * (K1 + 1) * self._idf(len(postings)))
        return result

    def shares(self, query: Sequence[str], rows: int) -> NDArray[np.float32]:
        """Return the share of the query that each of the rows 0 … `rows` - 1 contains, shape (rows,), 0 to 1.

        It is the idf of the query's terms that the row has, divided by the idf of all distinct terms of the query plus
        one unknown term. So in a short query, a common term is only a small share. Each term is weighted by
        `topic_weight`; a query in which all terms have weight 0 gives 0. The share of a row does not depend on the
        other rows of the result.
        """
        held = np.zeros(rows, np.float32)
        texts = len(self._held) + ADDED_TEXTS
        rarest, asked = _rarity(texts, 0), 0.0
        for term in dict.fromkeys(query):
            told = topic_weight(term)
            if not told:
                continue
            code = self._codes.get(term)
            postings = np.frombuffer(self._lists[code], np.uint32) if code is not None else np.zeros(0, np.uint32)
            weight = _rarity(texts, len(postings)) * told
            held[postings >> _COUNT_BITS] += np.float32(weight)
            asked += weight
        shares: NDArray[np.float32] = np.minimum(held / np.float32(min(asked, FULL_QUERY_TERMS * rarest) + rarest), 1)
        return shares

    def _code(self, term: str) -> int:
        code = self._codes.get(term)
        if code is None:
            if self._free:
                code = self._free.pop()
                self._terms[code] = term
            else:
                code = len(self._terms)
                self._terms.append(term)
                self._lists.append(array("I"))
            self._codes[term] = code
        return code

    def _idf(self, holding: int) -> float:
        return _rarity(len(self._held), holding)


def _rarity(texts: int, holding: int) -> float:
    return math.log(1 + (texts - holding + 0.5) / (holding + 0.5))
