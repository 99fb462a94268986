"""A sparse matrix in compact arrays, stored by column: the terms of texts, or the coordinates of vectors."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
Rows = NDArray[np.uint32] | NDArray[np.uint16]
Values = NDArray[np.float32]

SORTED_SHARE: Final = 8
"""New entries are merged into the sorted ones when there are more than one for this number of sorted ones."""
LEAST_MERGED: Final = 2_000
"""Maximum number of new entries that are not merged, however few the sorted ones are."""

SHORT: Final = 65_535
"""Maximum of the rows that are held in two bytes each; otherwise in four."""
ADDED_BYTES: Final = 500
"""Measured bytes of an addition that is not sorted yet, without its entries: a tuple with three arrays."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Entries of a sparse matrix, sorted by column. A column is named by a key."""

    keys: Keys
    """Keys of the columns that have entries, ascending."""
    starts: NDArray[np.uint32]
    """Position of the first entry of each column, then the number of entries."""
    rows: Rows
    values: Values

    @classmethod
    def sorted(cls, keys: Keys, rows: Rows, values: Values) -> Self:
        """Return the columns of entries in any order. Entries of the same column keep their order."""
        narrow = np.uint16 if len(keys) and keys.max() <= SHORT else np.uint64
        order = keys.astype(narrow).argsort(kind="stable")  # 16 bits are sorted several times as fast as 64
        ordered = keys[order]
        first = np.flatnonzero(np.diff(ordered, prepend=~ordered[:1]))
        places: Rows = rows[order]
        if len(rows) and rows.max() <= SHORT:
            places = places.astype(np.uint16)
        starts = np.append(first, len(keys)).astype(np.uint32)
        return cls(ordered[first], starts, places, values[order])

    def of(self, key: int) -> tuple[Rows, Values]:
        """Return the rows and values of a column. Both are empty if it has no entries."""
        at = int(self.keys.searchsorted(np.uint64(key)))
        if at == len(self.keys) or self.keys[at] != key:
            return self.rows[:0], self.values[:0]
        here = slice(int(self.starts[at]), int(self.starts[at + 1]))
        return self.rows[here], self.values[here]

    def flat(self) -> tuple[Keys, Rows, Values]:
        """Return the key, row and value of each entry."""
        return self.keys.repeat(np.diff(self.starts)), self.rows, self.values

    @property
    def nbytes(self) -> int:
        """Return the size of the arrays in bytes."""
        return self.keys.nbytes + self.starts.nbytes + self.rows.nbytes + self.values.nbytes


_EMPTY: Final = Columns(np.zeros(0, np.uint64), np.zeros(1, np.uint32), np.zeros(0, np.uint32), np.zeros(0, np.float32))


class SparseColumns:
    """A sparse matrix that grows by rows and is read by columns. Not thread-safe.

    It takes 6 bytes for each entry (8 beyond 65,536 rows), and 12 for each column with entries.
    """

    def __init__(self, columns: Columns = _EMPTY) -> None:
        self._sorted, self._new = columns, _EMPTY
        self._added: list[tuple[Keys, Rows, Values]] = []

    @property
    def nbytes(self) -> int:
        """Return the size in bytes of memory."""
        return self._sorted.nbytes + self._new.nbytes + sum(ADDED_BYTES + 16 * len(keys) for keys, _, _ in self._added)

    def add(self, keys: Keys, rows: Rows, values: Values) -> None:
        """Add entries to rows that have none yet. A key must not occur twice in a row."""
        self._added.append((keys, rows, values))

    def remove(self, rows: Iterable[int]) -> None:
        """Remove all entries of these rows."""
        gone = np.fromiter(rows, np.uint32)
        if not len(gone):
            return
        keys, held, values = self.merged().flat()
        kept = np.isin(held, gone, invert=True)
        if not kept.all():
            self._sorted = Columns.sorted(keys[kept], held[kept], values[kept])

    def column(self, key: int) -> Iterator[tuple[Rows, Values]]:
        """Yield the rows and values of a column, in parts without common rows."""
        for part in self.parts():
            rows, values = part.of(key)
            if len(rows):
                yield rows, values

    def parts(self) -> Sequence[Columns]:
        """Return all entries in parts without common rows."""
        if self._added:
            self._sort_added()
        return (self._sorted, self._new) if len(self._new.rows) else (self._sorted,)

    def merged(self) -> Columns:
        """Return all entries in one sorted part."""
        if self._added:
            self._sort_added()
        if len(self._new.rows):
            every = zip(self._sorted.flat(), self._new.flat(), strict=True)
            self._sorted, self._new = Columns.sorted(*map(_joined, every)), _EMPTY
        return self._sorted

    def _sort_added(self) -> None:
        every = zip(self._new.flat(), *self._added, strict=True)
        self._new, self._added = Columns.sorted(*map(_joined, every)), []
        if len(self._new.rows) > max(LEAST_MERGED, len(self._sorted.rows) // SORTED_SHARE):
            self.merged()


def _joined(parts: tuple[Any, ...]) -> Any:
    return np.concatenate(parts)
