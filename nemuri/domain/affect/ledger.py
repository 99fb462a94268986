"""The active memories of an agent as columns: what a night looks at all at once."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri.domain.affect.mind import AffectMemory

COLUMNS = np.dtype(
    [
        ("level", "i1"),
        ("protected", "?"),
        ("recalled", "?"),
        ("kept", "f8"),
        ("zero", "f8"),
        ("coefficient", "f8"),
        ("said_at", "f8"),
        ("recall_count", "i4"),
    ]
)
"""One row for each memory; `level` 0 for a row that nobody uses any more."""
Row = tuple[UUID, int, bool, bool, float, float, float, datetime, int]
"""A memory's id and its columns, in their order."""


class Ledger:
    """The columns, which may be brought up to date one memory at a time."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        found = list(rows)
        self.ids = [each[0] for each in found]
        self.place = {memory_id: place for place, memory_id in enumerate(self.ids)}
        self._rows = np.zeros(max(64, len(found)), COLUMNS)
        if found:
            self._rows[: len(found)] = np.array([_columns(each) for each in found], COLUMNS)

    @property
    def rows(self) -> NDArray[Any]:
        """The columns by place, as in `ids`."""
        return self._rows[: len(self.ids)]

    def take(self, memories: Iterable[AffectMemory]) -> None:
        """Bring these memories up to date; archived ones go."""
        for each in memories:
            place = self.place.get(each.memory_id)
            if place is None:
                if each.archived:
                    continue
                place = self.place[each.memory_id] = len(self.ids)
                self.ids.append(each.memory_id)
                if place == len(self._rows):
                    self._rows = np.concatenate([self._rows, np.zeros(place, COLUMNS)])
            self._rows[place] = _columns(row_of(each))

    def chosen(self, mask: NDArray[np.bool_]) -> Iterator[UUID]:
        """The ids of the rows of a mask, in the order of the rows."""
        return (self.ids[place] for place in np.flatnonzero(mask))


def row_of(memory: AffectMemory) -> Row:
    """A memory's id and its columns."""
    return (
        memory.memory_id,
        0 if memory.archived else memory.level,
        memory.protected,
        memory.recalled,
        memory.kept,
        memory.zero,
        memory.coefficient,
        memory.said_at,
        memory.recall_count,
    )


def _columns(row: Row) -> tuple[Any, ...]:
    _, level, protected, recalled, kept, zero, coefficient, said_at, recall_count = row
    return level, protected, recalled, kept, zero, coefficient, said_at.timestamp(), recall_count
