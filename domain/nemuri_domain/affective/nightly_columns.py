"""The active memories of an agent as a numpy table, for the nightly job."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.affective.aggregate import ARCHIVED, AffectMemory

COLUMNS = np.dtype(
    [
        ("level", "i1"),
        ("protected", "?"),
        ("recalled", "?"),
        ("kept", "f8"),
        ("zero", "f8"),
        ("begun", "i4"),
        ("coefficient", "f8"),
        ("said_at", "f8"),
        ("recall_count", "i4"),
    ]
)
"""Columns of the table, which has one row per memory. `level` is 0 in an unused row."""
Row = tuple[UUID, int, bool, bool, float, float, int, float, datetime, int]
"""A memory's id and the values of its columns, in the order of `COLUMNS`."""


class MemoryColumns:
    """A table of active memories, in which single memories can be updated."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        found = list(rows)
        self.ids = [row[0] for row in found]
        self.place = {memory_id: index for index, memory_id in enumerate(self.ids)}
        self._free = list[int]()
        self._rows = np.zeros(max(64, len(found)), COLUMNS)
        if found:
            self._rows[: len(found)] = np.array([_columns(row) for row in found], COLUMNS)

    @property
    def rows(self) -> NDArray[Any]:
        """The rows of the table, in the order of `ids`. Rows of dropped memories are included, with level 0."""
        return self._rows[: len(self.ids)]

    def take(self, memories: Iterable[AffectMemory]) -> None:
        """Insert or update these memories. Archived and deleted ones are removed."""
        for memory in memories:
            if memory.level >= ARCHIVED:
                self.drop([memory.memory_id])
                continue
            index = self.place[memory.memory_id] if memory.memory_id in self.place else self._new(memory.memory_id)
            self._rows[index] = _columns(row_of(memory))

    def drop(self, memory_ids: Iterable[UUID]) -> None:
        """Remove these memories. Their rows are reused for later ones. Unknown ids are ignored."""
        for memory_id in memory_ids:
            index = self.place.pop(memory_id, None)
            if index is not None:
                self._rows[index] = 0
                self._free.append(index)

    def _new(self, memory_id: UUID) -> int:
        if self._free:
            index = self._free.pop()
            self.ids[index] = memory_id
        else:
            index = len(self.ids)
            self.ids.append(memory_id)
            if index == len(self._rows):
                self._rows = np.concatenate([self._rows, np.zeros(index, COLUMNS)])
        self.place[memory_id] = index
        return index

    def mask(self, memory_ids: Iterable[UUID]) -> NDArray[np.bool_]:
        """Return a mask over the rows, True for these memories. Unknown ids are ignored."""
        found = np.zeros(len(self.ids), np.bool_)
        found[[self.place[memory_id] for memory_id in memory_ids if memory_id in self.place]] = True
        return found

    def chosen(self, mask: NDArray[np.bool_]) -> Iterator[UUID]:
        """Return the ids of the memories whose rows are True in a mask, in row order."""
        return (self.ids[index] for index in np.flatnonzero(mask))


def row_of(memory: AffectMemory) -> Row:
    """Return a memory's id and the values of its columns."""
    return (
        memory.memory_id,
        0 if memory.archived else memory.level,
        memory.protected,
        memory.recalled,
        memory.kept,
        memory.zero,
        memory.begun,
        memory.coefficient,
        memory.said_at,
        memory.recall_count,
    )


def _columns(row: Row) -> tuple[Any, ...]:
    _, level, protected, recalled, kept, zero, begun, coefficient, said_at, recall_count = row
    return level, protected, recalled, kept, zero, begun, coefficient, said_at.timestamp(), recall_count
