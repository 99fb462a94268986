"""The words of the memories of a retrieval index, by row."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.word_table import Words
from nemuri_domain.retrieval.inverted_index import ADDED_TEXTS, rarity

Floats = NDArray[np.float32]
Numbers = NDArray[np.int32]
_NONE: Final = np.zeros(0, np.int64)
_NO_NUMBERS: Final = np.zeros(0, np.int32)
_LIST_BYTES: Final = 120
"""Bytes of memory that a row takes beside its words."""


class WordRows:
    """The words of each row. A row that was never set has none."""

    def __init__(
        self, words: Words = _NONE, lengths: Numbers = _NO_NUMBERS, held: Words = _NONE, holding: Numbers = _NO_NUMBERS
    ) -> None:
        """Create rows with these `lengths` numbers of words, which follow each other in `words`. The distinct words are
        `held`, ascending, each by as many rows as `holding` says.
        """
        ends = np.cumsum(lengths).tolist()
        self._rows = [words[end - length : end] for end, length in zip(ends, lengths.tolist(), strict=True)]
        self._count = len(words)
        self._held, self._holding = held, holding
        self._more = Counter[int]()
        """The number of rows by which each word is held beyond `_holding`."""

    @property
    def nbytes(self) -> int:
        """Return the size in bytes of memory."""
        return self._count * _NONE.itemsize + len(self._rows) * _LIST_BYTES

    def set(self, row: int, words: Words) -> None:
        """Set the words of a row."""
        self._rows += [_NONE] * (row + 1 - len(self._rows))
        self._count += len(words) - len(self._rows[row])
        self._more.subtract(set(self._rows[row].tolist()))
        self._more.update(set(words.tolist()))
        self._rows[row] = words

    def kept(self, rows: NDArray[np.intp]) -> "WordRows":
        """Return the words of these rows, numbered from 0."""
        kept = WordRows()
        for number, row in enumerate(rows.tolist() if self._rows else ()):
            kept.set(number, self._rows[row])
        return kept

    def of(self, rows: Iterable[int]) -> Sequence[Words]:
        """Return the words of each of the rows."""
        return [self._rows[row] for row in rows]

    def rarity(self, words: Words, rows: int) -> Floats:
        """Return how rare words are among `rows` rows in use, shape (words,): their idf as a share of that of a word
        that no row has.

        As for BM25's shares, a small index counts as larger by `ADDED_TEXTS`.
        """
        texts = rows + ADDED_TEXTS
        holding = [number + self._more[word] for word, number in zip(words.tolist(), self._stored(words), strict=True)]
        return np.array([rarity(texts, number) for number in holding], np.float32) / np.float32(rarity(texts, 0))

    def arrays(self) -> tuple[Words, Numbers, Words, Numbers]:
        """Return the arguments of the constructor that make the same rows."""
        more = np.fromiter(self._more, np.int64, len(self._more))
        held = np.union1d(self._held, more)
        holding = np.array(self._stored(held), np.int32)
        holding[np.searchsorted(held, more)] += np.fromiter(self._more.values(), np.int32, len(more))
        lengths = np.array([len(words) for words in self._rows], np.int32)
        return np.concatenate([*self._rows, _NONE]), lengths, held[holding > 0], holding[holding > 0]

    def _stored(self, words: Words) -> list[int]:
        """Return by how many rows each word was held when the rows were made."""
        if not len(self._held):
            return [0] * len(words)
        at = np.searchsorted(self._held, words).clip(max=len(self._held) - 1)
        numbers: list[int] = np.where(self._held[at] == words, self._holding[at], 0).tolist()
        return numbers
