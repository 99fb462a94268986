"""The words of the memories of a retrieval index, by row."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.word_table import Words

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

    @property
    def nbytes(self) -> int:
        """Return the size in bytes of memory."""
        return self._count * _NONE.itemsize + len(self._rows) * _LIST_BYTES

    def set(self, row: int, words: Words) -> None:
        """Set the words of a row."""
        self._rows += [_NONE] * (row + 1 - len(self._rows))
        self._count += len(words) - len(self._rows[row])
        self._rows[row] = words

    def remove(self, rows: Iterable[int]) -> None:
        """Take the words of rows away."""
        for row in rows:
            self.set(row, _NONE)

    def of(self, rows: Iterable[int]) -> Sequence[Words]:
        """Return the words of each of the rows."""
        return [self._rows[row] for row in rows]

    def stored(self, rows: int) -> tuple[Words, NDArray[np.int32]]:
        """Return the words of the rows 0 … `rows` - 1, and the number of each, as the constructor takes them."""
        every = [*self._rows[:rows], *[_NONE] * (rows - len(self._rows))]
        return np.concatenate([*every, _NONE]), np.array([len(each) for each in every], np.int32)
