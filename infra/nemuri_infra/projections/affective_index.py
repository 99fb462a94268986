"""Indexes of affective memories. Each process caches them and updates them from the projections."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import numpy as np

from nemuri_domain.affective.aggregate import DELETED
from nemuri_domain.affective.memory_index import IndexedMemory, MemoryIndex
from nemuri_infra.process.byte_cache import ByteCache
from nemuri_infra.process.resource_limits import memory_limit
from nemuri_infra.projections.database import Database, binary_rows
from nemuri_infra.stores.vectors import Vectors

MOST_BYTES: Final = 1 << 29
"""Maximum size of all cached indexes in bytes. A memory with a vector of 256 dimensions takes 1.6 kB."""
THREAD_THRESHOLD: Final = 64
"""Number of changed memories above which they are indexed in a thread, so that the event loop stays free."""
IndexKey = tuple[str, str, str, str]
"""Database URL, schema, agent, and what its vectors can be compared with: generation and calibration."""
_CHANGES: Final = """
    -- The state of the tables, the number of memories that are not deleted, and the memories that changed. A vector is
    -- looked up by its key: without statistics, directly after an import, a join compares each memory with each vector.
    SELECT CAST(CAST(to_regclass('affect_memory') AS oid) AS bigint), there.memories, m.changed,
        (
            SELECT v.vector FROM memory_vector AS v
            WHERE v.agent_id = %(agent)s AND v.memory_id = m.memory_id AND v.model = %(generation)s
        ),
        m.memory_id, m.turn_id, m.project, m.personal, m.said_at, m.kept, m.zero, m.begun, m.coefficient, m.level,
        m.archived_night, m.recall_count, m.valence, m.arousal, m.tags, m.category
    FROM affect_agent AS a
        CROSS JOIN LATERAL (
            SELECT a.protected + CAST(sum(CAST(n AS int)) AS bigint) AS memories
            FROM jsonb_array_elements_text(a.levels) AS n
        ) AS there
        LEFT JOIN affect_memory AS m ON m.agent_id = a.agent_id AND {changed}
    WHERE a.agent_id = %(agent)s
    """
CHANGES: Final = _CHANGES.format(changed="m.changed > %(until)s")
CHANGES_OR_MISSING: Final = _CHANGES.format(changed="(m.changed > %(until)s OR m.memory_id = ANY(%(missing)s))")


@dataclass(slots=True)
class CachedIndex:
    """The index of one agent, as of the last update from the projections."""

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
        self.index = MemoryIndex(self.index.dimension)
        self.until, self.missing = -1, frozenset()


_PROCESS: ByteCache[IndexKey, CachedIndex] = ByteCache(
    min(memory_limit() // 6, MOST_BYTES), lambda _, each: each.index.nbytes
)
"""The indexes shared by all services of this process."""


@asynccontextmanager
async def current_index(database: Database, agent_id: str, vectors: Vectors) -> AsyncIterator[MemoryIndex]:
    """Update the index of an agent from the projections and yield it. It is locked during the context.

    Its vectors are centred by the calibrated store `vectors`.
    """
    key = (database.url, database.schema, agent_id, vectors.comparing.space)
    known = _PROCESS.get(key)
    if known is None:
        known = CachedIndex(MemoryIndex(vectors.embedder.dimension))
        _PROCESS.keep(key, known)
    async with known.lock:
        if await _refresh(known, database, agent_id, vectors):
            _PROCESS.keep(key, known)
        yield known.index


async def _refresh(known: CachedIndex, database: Database, agent_id: str, vectors: Vectors) -> bool:
    """Add what changed since the last update, and return True if anything did.

    If memories were erased or the tables rebuilt since, all is read again.
    """
    rows = await _changes(known, database, agent_id, vectors)
    if known.until >= 0 and (not rows or rows[0][0] != known.tables):
        known.clear()
        rows = await _changes(known, database, agent_id, vectors) if rows else []
    if not rows:
        return False
    await _take(known, rows, vectors)
    if len(known.index) != rows[0][1]:  # A memory was erased, so its row is not there any more.
        known.clear()
        await _take(known, await _changes(known, database, agent_id, vectors), vectors)
    return rows[0][2] is not None


async def _changes(known: CachedIndex, database: Database, agent_id: str, vectors: Vectors) -> list[tuple[Any, ...]]:
    values = {"agent": agent_id, "generation": vectors.generation, "until": known.until}
    async with database.reading() as connection:
        if known.missing:
            return await binary_rows(connection, CHANGES_OR_MISSING, values | {"missing": list(known.missing)})
        return await binary_rows(connection, CHANGES, values)


async def _take(known: CachedIndex, rows: Sequence[tuple[Any, ...]], vectors: Vectors) -> None:
    known.tables = rows[0][0] if rows else known.tables
    changed = [row for row in rows if row[2] is not None]
    if len(changed) > THREAD_THRESHOLD:
        await asyncio.to_thread(_put, known, changed, vectors)
    elif changed:
        _put(known, changed, vectors)


def _put(known: CachedIndex, changed: Sequence[tuple[Any, ...]], vectors: Vectors) -> None:
    found = [(IndexedMemory(*fields), vector) for _, _, _, vector, *fields in changed]
    known.index.drop([each.memory_id for each, _ in found if each.level == DELETED])
    kept = [(each, vector) for each, vector in found if each.level != DELETED]
    rows = np.zeros((len(kept), vectors.embedder.dimension), np.float32)
    for at, (_, vector) in enumerate(kept):
        if vector is not None:
            rows[at] = vector.to_numpy()
    known.index.put([each for each, _ in kept], vectors.centred(rows))
    now = {each.memory_id for each, _ in found}
    known.missing = (known.missing - now) | {each.memory_id for each, vector in kept if vector is None}
    known.until = max(known.until, *(row[2] for row in changed))
