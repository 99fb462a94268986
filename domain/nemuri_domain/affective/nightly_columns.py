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
        self.ids = [each[0] for each in found]
        self.place = {memory_id: place for place, memory_id in enumerate(self.ids)}
        self._free = list[int]()
        self._rows = np.zeros(max(64, len(found)), COLUMNS)
        if found:
            self._rows[: len(found)] = np.array([_columns(each) for each in found], COLUMNS)

    @property
    def rows(self) -> NDArray[Any]:
        """The rows of the table, in the order of `ids`. Rows of dropped memories are included, with level 0."""
        return self._rows[: len(self.ids)]

    def take(self, memories: Iterable[AffectMemory]) -> None:
        """Insert or update these memories. Archived and deleted ones are removed."""
        for each in memories:
            if each.level >= ARCHIVED:
                self.drop([each.memory_id])
                continue
            place = self.place[each.memory_id] if each.memory_id in self.place else self._new(each.memory_id)
            self._rows[place] = _columns(row_of(each))

    def drop(self, memory_ids: Iterable[UUID]) -> None:
        """Remove these memories. Their rows are reused for later ones. Unknown ids are ignored."""
        for each in memory_ids:
            place = self.place.pop(each, None)
            if place is not None:
                self._rows[place] = 0
                self._free.append(place)

    def _new(self, memory_id: UUID) -> int:
        if self._free:
            place = self._free.pop()
            self.ids[place] = memory_id
        else:
            place = len(self.ids)
            self.ids.append(memory_id)
            if place == len(self._rows):
                self._rows = np.concatenate([self._rows, np.zeros(place, COLUMNS)])
        self.place[memory_id] = place
        return place

    def mask(self, memory_ids: Iterable[UUID]) -> NDArray[np.bool_]:
        """Return a mask over the rows, True for these memories. Unknown ids are ignored."""
        found = np.zeros(len(self.ids), np.bool_)
        found[[self.place[each] for each in memory_ids if each in self.place]] = True
        return found

    def chosen(self, mask: NDArray[np.bool_]) -> Iterator[UUID]:
        """Return the ids of the memories whose rows are True in a mask, in row order."""
        return (self.ids[place] for place in np.flatnonzero(mask))


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
