"""Tables of memories as retrieval indexes read them: changed rows, and what an index takes of them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, NamedTuple, TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.retrieval.memory_index import MemoryIndex
from nemuri_infra.projections.database import Database, binary_rows

PAGE_SIZE: Final = 1_000
"""Maximum number of changed memories that are read in one query, so that an agent with many memories does not delay
other queries.
"""
LAST_ID: Final = UUID(int=2**128 - 1)
STORED_VECTOR: Final = """(
                SELECT v.vector FROM memory_vector AS v
                WHERE v.agent_id = m.agent_id AND v.memory_id = m.memory_id AND v.model = %(generation)s
            )"""
"""A vector is looked up by its key: without statistics, directly after an import, a join compares each memory with each
vector.
"""

Vector = NDArray[np.float32]
IndexT = TypeVar("IndexT", bound=MemoryIndex)


class IndexChange(NamedTuple):
    """A memory that changed, as an index takes it."""

    changed: int
    """Sequence of the change."""
    memory_id: UUID
    vector: Vector | None
    """The stored vector; None if there is none yet, or if it did not change."""
    fields: tuple[Any, ...] | None
    """Fields of the memory for the index (`IndexedTable.put`); None for a deleted memory."""


class ChangesWanted(NamedTuple):
    """The range of changes of an agent's memories that are read."""

    agent_id: str
    generation: str
    """Model and dimension of the vectors."""
    since: int
    """Sequence up to which the index contains all changes."""
    after: tuple[int, UUID]
    """Sequence and memory of the last change that was read."""
    missing: Sequence[UUID] = ()
    """Memories that are read even if they did not change, because their vectors were missing."""
    person: str = ""
    """Person to whom the memories belong, "" for nobody; only for a table of memories of persons."""


@dataclass(frozen=True, slots=True)
class IndexedTable(Generic[IndexT]):
    """A table of memories, and what an index takes from it."""

    name: str
    rows: str
    """SQL source of the rows `m`."""
    present: str
    """SQL condition that is true for memories that are not deleted."""
    whole: str
    """SQL condition that is true for rows whose vector may have changed."""
    selected: str
    """The fields in a SELECT."""
    create: Callable[[int], IndexT]
    """Function that returns an empty index for vectors of a dimension."""
    put: Callable[[IndexT, Sequence[IndexChange], Vector], None]
    """Function that inserts or updates memories, with a centred vector for each; zeros if it has none."""
    parsed: Callable[..., tuple[Any, ...]] = lambda *values: values
    """Function from selected values to the fields of a change."""
    text: Callable[[tuple[Any, ...]], str | None] | None = None
    """Function that returns the text from which the vector of a new memory is made if it is missing; None for a table
    whose missing vectors come later.
    """
    copied: bool = False
    """True if copies of the indexes are stored."""
    of_persons: bool = False
    """True if a memory may belong to a person. Then each index has those of one person, or of nobody."""

    def changes(self, *, missing: bool) -> str:
        """Return the query for changed memories; with `missing`, also those whose vector was missing."""
        named = " OR m.memory_id = ANY(%(missing)s)" if missing else ""
        of_person = " AND m.person = %(person)s" if self.of_persons else ""
        return f"""
            SELECT m.changed, m.memory_id, {self.present},
                CASE WHEN {self.whole} THEN {STORED_VECTOR} END, {self.selected}
            FROM {self.rows}
            WHERE m.agent_id = %(agent_id)s{of_person} AND ((m.changed, m.memory_id) > (%(sequence)s, %(last)s){named})
            ORDER BY m.changed, m.memory_id LIMIT {PAGE_SIZE}
        """  # noqa: S608 - names of our own tables

    async def changed(self, database: Database, wanted: ChangesWanted) -> list[IndexChange]:
        """Return the next changes, at most `PAGE_SIZE`."""
        sequence, last = wanted.after
        values = wanted._asdict() | {"sequence": sequence, "last": last, "missing": list(wanted.missing)}
        async with database.reading() as connection:
            rows = await binary_rows(connection, self.changes(missing=bool(wanted.missing)), values)
        return [self.change(row) for row in rows]

    def change(self, row: Sequence[Any]) -> IndexChange:
        """Return the change in a row of the query."""
        changed, memory_id, present, vector, *fields = row
        stored = None if vector is None else vector.to_numpy()
        return IndexChange(changed, memory_id, stored, self.parsed(*fields) if present else None)


def searched_by_vectors(
    name: str,
    *,
    fields: Collection[str],
    columns: "np.dtype[Any]",
    columns_of: Callable[..., tuple[Any, ...]],
    names: Collection[str] = (),
    present: str = "true",
) -> IndexedTable[MemoryIndex]:
    """Return a table whose memories are searched by their vectors only.

    Args:
        name: Name of the table.
        fields: Fields of a memory that the index reads.
        columns: Columns of the index.
        columns_of: Function from the fields to the values of the columns.
        names: The columns of names.
        present: SQL condition of a row `m` that is true for memories that are not deleted.
    """

    def put(index: MemoryIndex, changes: Sequence[IndexChange], vectors: Vector) -> None:
        values = [columns_of(*change.fields) for change in changes if change.fields is not None]
        index.put([change.memory_id for change in changes], values, vectors)

    return IndexedTable(
        name=name,
        rows=f"{name} AS m",
        present=present,
        whole="true",
        selected=", ".join(f"m.{field}" for field in fields),
        create=partial(MemoryIndex, columns=columns, names=names),
        put=put,
    )
