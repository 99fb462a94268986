"""The words of the memories of a retrieval index, by row."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.word_table import Words
from nemuri_domain.retrieval.inverted_index import ADDED_TEXTS, rarity

Floats = NDArray[np.float32]
_NONE: Final = np.zeros(0, np.int64)
_LIST_BYTES: Final = 120
"""Bytes of memory that a row takes beside its words."""


class WordRows:
    """The words of each row. A row that was never set, or was removed, has none."""

    def __init__(self, words: Words = _NONE, lengths: NDArray[np.int32] | None = None) -> None:
        """Create rows with these `lengths` numbers of words, which follow each other in `words`."""
        ends = np.cumsum(lengths) if lengths is not None and len(lengths) else ()
        self._rows: list[Words] = np.split(words, ends[:-1]) if len(ends) else []
        self._count = len(words)
        self._holding = Counter(word for row in self._rows for word in set(row.tolist()))

    @property
    def nbytes(self) -> int:
        """Return the size in bytes of memory."""
        return self._count * _NONE.itemsize + len(self._rows) * _LIST_BYTES

    def set(self, row: int, words: Words) -> None:
        """Set the words of a row."""
        self._rows += [_NONE] * (row + 1 - len(self._rows))
        self._count += len(words) - len(self._rows[row])
        self._holding.subtract(set(self._rows[row].tolist()))
        self._holding.update(set(words.tolist()))
        self._rows[row] = words

    def remove(self, rows: Iterable[int]) -> None:
        """Take the words of rows away."""
        for row in rows:
            self.set(row, _NONE)

    def of(self, rows: Iterable[int]) -> Sequence[Words]:
        """Return the words of each of the rows."""
        return [self._rows[row] for row in rows]

    def rarity(self, words: Words, rows: int) -> Floats:
        """Return how rare words are among `rows` rows in use, shape (words,): their idf as a share of that of a word
        that no row has.

        As for BM25's shares, a small index counts as larger by `ADDED_TEXTS`.
        """
        texts = rows + ADDED_TEXTS
        found = [rarity(texts, self._holding[word]) for word in words.tolist()]
        return np.array(found, np.float32) / np.float32(rarity(texts, 0))

    def stored(self, rows: int) -> tuple[Words, NDArray[np.int32]]:
        """Return the words of the rows 0 … `rows` - 1, and the number of each, as the constructor takes them."""
        every = [*self._rows[:rows], *[_NONE] * (rows - len(self._rows))]
        return np.concatenate([*every, _NONE]), np.array([len(row) for row in every], np.int32)
