"""Indexes of affective and tiered memories. Each process caches them and updates them from the projections."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import numpy as np

from nemuri_domain.affective import candidate_selection
from nemuri_domain.affective.aggregate import DELETED
from nemuri_domain.retrieval.memory_index import MemoryIndex
from nemuri_domain.tiered import retrieval as tiered_retrieval
from nemuri_infra.process.byte_cache import ByteCache
from nemuri_infra.process.resource_limits import memory_limit
from nemuri_infra.projections.database import Database, binary_rows
from nemuri_infra.stores.vectors import Vectors

MOST_BYTES: Final = 1 << 29
"""Maximum size of all cached indexes in bytes. A memory with a vector of 256 dimensions takes 1.6 kB."""
THREAD_THRESHOLD: Final = 64
"""Number of changed memories above which they are indexed in a thread, so that the event loop stays free."""
IndexKey = tuple[str, str, str, str, str]
"""Database URL, schema, table, agent, and what its vectors can be compared with: generation and calibration."""
_VECTOR: Final = """(
            SELECT v.vector FROM memory_vector AS v
            WHERE v.agent_id = m.agent_id AND v.memory_id = m.memory_id AND v.model = %(generation)s
        )"""
"""A vector is looked up by its key: without statistics, directly after an import, a join compares each memory with each
vector.
"""


@dataclass(frozen=True, slots=True)
class IndexedTable:
    """A table of memories, and what an index takes from it."""

    name: str
    agents: str
    """Table of the agents with such a memory."""
    present: str
    """SQL condition of a row `m` that is true for memories that are not deleted."""
    number: str
    """SQL expression for the number of these memories of an agent `a`."""
    fields: tuple[str, ...]
    columns: "np.dtype[Any]"
    columns_of: Callable[..., tuple[Any, ...]]
    """Function from the `fields` of a memory to the values of its `columns`."""

    def changes(self, *, missing: bool) -> str:
        """Return the query for the state of the table, the number of memories that are not deleted, and the memories
        that changed; with `missing`, also those whose vector was missing.
        """
        changed = "m.changed > %(until)s" + (" OR m.memory_id = ANY(%(missing)s)" if missing else "")
        return f"""
            SELECT CAST(CAST(to_regclass('{self.name}') AS oid) AS bigint), {self.number}, m.changed, {self.present},
                {_VECTOR}, m.memory_id, {self.selected}
            FROM {self.agents} AS a LEFT JOIN {self.name} AS m ON m.agent_id = a.agent_id AND ({changed})
            WHERE a.agent_id = %(agent)s
        """  # noqa: S608 - names of our own tables

    @property
    def selected(self) -> str:
        """Return the fields as they stand in a SELECT."""
        return ", ".join(f"m.{name}" for name in self.fields)

    def put(self, index: MemoryIndex, rows: Sequence[tuple[Any, ...]], vectors: Vectors) -> None:
        """Insert or update memories in an index. A row has the stored vector (None if there is none yet), the id, and
        the fields. The vectors are centred by the calibrated store `vectors`.
        """
        matrix = np.zeros((len(rows), vectors.embedder.dimension), np.float32)
        for to, (vector, *_) in zip(matrix, rows, strict=True):
            if vector is not None:
                to[:] = vector.to_numpy()
        features = np.array([self.columns_of(*fields) for _, _, *fields in rows], self.columns)
        index.put([row[1] for row in rows], features, vectors.centred(matrix))


AFFECTIVE: Final = IndexedTable(
    name="affect_memory",
    agents="affect_agent",
    present=f"m.level <> {DELETED}",
    number="a.protected + (SELECT sum(CAST(n AS int)) FROM jsonb_array_elements_text(a.levels) AS n)",
    fields=candidate_selection.FIELDS,
    columns=candidate_selection.COLUMNS,
    columns_of=candidate_selection.columns_of,
)
TIERED: Final = IndexedTable(
    name="tier_memory",
    agents="tier_agent",
    present="true",
    number="(SELECT count(*) FROM tier_memory AS each WHERE each.agent_id = a.agent_id)",
    fields=tiered_retrieval.FIELDS,
    columns=tiered_retrieval.COLUMNS,
    columns_of=tiered_retrieval.columns_of,
)


@dataclass(slots=True)
class CachedIndex:
    """The index of one agent, as of the last update from the projections."""

    table: IndexedTable
    agent_id: str
    index: MemoryIndex
    until: int = -1
    """Log sequence of the newest change of a memory in the index."""
    tables: int = 0
    """Id of the table that the index was made from. A rebuild exchanges the tables."""
    missing: frozenset[UUID] = frozenset()
    """Ids of the memories that had no vector yet."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def clear(self) -> None:
        """Empty the index, so that no erased data stays in it."""
        self.index = MemoryIndex(self.index.dimension, self.table.columns)
        self.until, self.missing = -1, frozenset()

    async def refresh(self, database: Database, vectors: Vectors) -> bool:
        """Add what changed since the last update, drop what was erased, and return True if anything did.

        If the tables were rebuilt since, all is read again.
        """
        rows = await self._changes(database, vectors.generation)
        if self.until >= 0 and (not rows or rows[0][0] != self.tables):
            self.clear()
            rows = await self._changes(database, vectors.generation) if rows else []
        if not rows:
            return False
        self.tables = rows[0][0]
        changed = [row[2:] for row in rows if row[2] is not None]
        if len(changed) > THREAD_THRESHOLD:
            await asyncio.to_thread(self._take, changed, vectors)
        elif changed:
            self._take(changed, vectors)
        if gone := len(self.index) != rows[0][1]:  # The row of an erased memory is not there any more.
            await self._drop_erased(database)
        return bool(changed) or gone

    async def _changes(self, database: Database, generation: str) -> list[tuple[Any, ...]]:
        values = {"agent": self.agent_id, "generation": generation, "until": self.until}
        query = self.table.changes(missing=bool(self.missing))
        async with database.reading() as connection:
            return await binary_rows(connection, query, values | {"missing": list(self.missing)})

    def _take(self, changed: Sequence[tuple[Any, ...]], vectors: Vectors) -> None:
        present = [row[2:] for row in changed if row[1]]
        self.index.drop([row[3] for row in changed if not row[1]])
        self.table.put(self.index, present, vectors)
        self.missing -= {row[3] for row in changed}
        self.missing |= {memory_id for vector, memory_id, *_ in present if vector is None}
        self.until = max(self.until, *(row[0] for row in changed))

    async def _drop_erased(self, database: Database) -> None:
        query = f"SELECT m.memory_id FROM {self.table.name} AS m WHERE m.agent_id = %(agent)s AND {self.table.present}"  # noqa: S608 - our own
        async with database.reading() as connection:
            rows = await binary_rows(connection, query, {"agent": self.agent_id})
        self.index.keep([memory_id for (memory_id,) in rows])


_PROCESS: ByteCache[IndexKey, CachedIndex] = ByteCache(
    min(memory_limit() // 6, MOST_BYTES), lambda _, entry: entry.index.nbytes
)
"""The indexes shared by all services of this process."""


@asynccontextmanager
async def current_index(
    database: Database, table: IndexedTable, agent_id: str, vectors: Vectors
) -> AsyncIterator[MemoryIndex]:
    """Update the index of an agent from the projections and yield it. It is locked during the context.

    Its vectors are centred by the calibrated store `vectors`.
    """
    key = (database.url, database.schema, table.name, agent_id, vectors.comparing.space)
    known = _PROCESS.get(key)
    if known is None:
        known = CachedIndex(table, agent_id, MemoryIndex(vectors.embedder.dimension, table.columns))
        _PROCESS.keep(key, known)
    async with known.lock:
        if await known.refresh(database, vectors):
            _PROCESS.keep(key, known)
        yield known.index


_SHARED: Final = f"""
    -- Memories that other agents share with an agent. One that was embedded by another model has no vector.
    SELECT {_VECTOR}, m.memory_id, {TIERED.selected} FROM tier_memory AS m
    WHERE m.agent_id <> %(agent)s AND m.scope <> 'private' AND (m.scope = 'global' OR m.visible_to ? %(agent)s)
    """  # noqa: S608 - names of our own tables


async def shared_index(database: Database, agent_id: str, vectors: Vectors) -> MemoryIndex:
    """Return an index of the tiered memories that other agents share with an agent."""
    async with database.reading() as connection:
        rows = await binary_rows(connection, _SHARED, {"agent": agent_id, "generation": vectors.generation})
    index = MemoryIndex(vectors.embedder.dimension, TIERED.columns)
    TIERED.put(index, rows, vectors)
    return index
