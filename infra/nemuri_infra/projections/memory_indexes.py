"""The retrieval indexes of a process: it caches them and updates them from the projections and from stored copies."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Self
from uuid import UUID

import numpy as np

from nemuri_infra.process.byte_cache import ByteCache
from nemuri_infra.projections.index_encoding import FORMAT, decode, encode
from nemuri_infra.projections.indexed_tables import (
    LAST_ID,
    PAGE_SIZE,
    ChangesWanted,
    IndexChange,
    IndexedTable,
    IndexT,
    Vector,
)
from nemuri_infra.projections.stored_indexes import StoredIndex
from nemuri_infra.projections.views import Views
from nemuri_infra.stores.vectors import Vectors

THREAD_THRESHOLD: Final = 64
"""Number of changed memories above which they are indexed in a thread, so that the event loop stays free. The index
stays locked meanwhile.
"""
LEAST_STORED: Final = 500
"""Minimum number of changes for which a new copy of an index is stored. Reading as many takes about 25 ms."""
STORED_SHARE: Final = 8
"""A new copy is stored when there is more than one change for this number of memories, but at least `LEAST_STORED`."""
IndexKey = tuple[str, str, str, str]
"""Table, agent, person, and what the vectors can be compared with: generation and calibration."""


@dataclass(slots=True)
class CachedIndex(Generic[IndexT]):
    """The index of one agent's memories that belong to one person or to nobody, as of the last update from the
    projections.
    """

    table: IndexedTable[IndexT]
    agent_id: str
    index: IndexT
    person: str = ""
    """Person to whom the memories belong; "" for nobody."""
    until: int = -1
    """Log sequence of the newest change of a memory in the index; -1 before the first one."""
    seen: int = -1
    """Log sequence that the projections had reached at the last update; -1 before the first update."""
    missing: frozenset[UUID] = frozenset()
    """Ids of the memories that had no vector yet."""
    unstored: int = 0
    """Number of changes in the index that its stored copy does not contain."""
    tables: int = 0
    """Number of the tables that the index was made from (`StoredIndex`)."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def refresh(self, views: Views, vectors: Vectors) -> None:
        """Add the memories that changed in the projections since the last update.

        An empty index begins with its stored copy, if its kind has copies. If a memory in the index was erased, or
        the tables were rebuilt, the whole index is read again. After many changes a new copy is stored.
        """
        progress = views.progress
        here = await progress.current_sequence()
        if not self.missing and not progress.changes.changed(self.agent_id, self.seen):
            return
        if len(self.index) and progress.changes.excluded > self.seen:  # only then anything may be gone
            await self._drop_outdated(views)
        if not len(self.index):
            await self._begin(views, vectors)
        await self._read_changes(views, vectors)
        if self._copied and self.unstored > max(LEAST_STORED, len(self.index) // STORED_SHARE):
            await self._store_copy(views, vectors, here)
        self.seen = here

    @property
    def _copied(self) -> bool:
        """Return True if copies of the index are stored. Those of persons are small and many."""
        return self.table.copied and not self.person

    async def _drop_outdated(self, views: Views) -> None:
        erased = await views.everything_erased(after=self.seen)
        gone = self.agent_id in erased.agents or any(memory_id in self.index for memory_id in erased.ids)
        if gone or await views.tables() != self.tables:
            self.index, self.until, self.unstored = self.table.create(self.index.dimension), -1, 0
            self.missing = frozenset()

    async def _begin(self, views: Views, vectors: Vectors) -> None:
        if not self._copied:
            self.tables = await views.tables()
            return
        copy = await views.stored_index(self.agent_id, vectors.generation, format_version=FORMAT)
        self.tables = copy.tables
        try:
            if copy.data and decode(copy.data, self.index, vectors.comparing.calibration.digest):
                self.until = copy.until
        except (ValueError, KeyError, TypeError):
            logging.getLogger(__name__).warning("the stored index of %s is damaged and is made again", self.agent_id)

    async def _store_copy(self, views: Views, vectors: Vectors, here: int) -> None:
        data = encode(self.index, vectors.comparing.calibration.digest)
        copy = StoredIndex(self.tables, self.until, data)
        await views.store_index(self.agent_id, vectors.generation, copy, seen=here, format_version=FORMAT)
        self.unstored = 0

    async def _read_changes(self, views: Views, vectors: Vectors) -> None:
        newest, after, missing = self.until, (self.until, LAST_ID), tuple(self.missing)
        while True:
            wanted = ChangesWanted(self.agent_id, vectors.generation, self.until, after, missing, self.person)
            changes = await views.index_changes(self.table, wanted)
            await self._take(changes, vectors)
            newest = max([newest, *(change.changed for change in changes)])
            if len(changes) < PAGE_SIZE:
                break
            after, missing = max(after, changes[-1][:2]), ()
        self.until = newest  # not before the last page, because a sequence may be divided between two

    async def _take(self, changes: Sequence[IndexChange], vectors: Vectors) -> None:
        present = [change for change in changes if change.fields is not None]
        matrix = await centred(self.table, present, vectors)
        self.index.drop([change.memory_id for change in changes if change.fields is None])
        if len(present) > THREAD_THRESHOLD:
            await asyncio.to_thread(self.table.put, self.index, present, matrix)
        elif present:
            self.table.put(self.index, present, matrix)
        if self.table.text is None:
            self.missing -= {change.memory_id for change in changes}
            self.missing |= {change.memory_id for change in present if change.vector is None}
        self.unstored += len(changes)


async def centred(table: IndexedTable[Any], changes: Sequence[IndexChange], vectors: Vectors) -> Vector:
    """Return the vectors of changed memories as they are compared, shape (n, dimension); zeros for one without."""
    matrix = np.zeros((len(changes), vectors.embedder.dimension), np.float32)
    for row, change in zip(matrix, changes, strict=True):
        if change.vector is not None:
            row[:] = change.vector
    rows = vectors.centred(matrix)
    if table.text is not None:
        # A memory that was encoded with another embedding model gets a vector of the present model here.
        without = [(at, change.fields or ()) for at, change in enumerate(changes) if change.vector is None]
        texts = {at: text for at, fields in without if (text := table.text(fields)) is not None}
        if texts:
            rows[list(texts)] = await vectors.of(list(texts.values()))
    return rows


@dataclass(slots=True)
class MemoryIndexes:
    """The retrieval indexes that the services of a process share, one for each memory of an agent and of each of its
    persons, vector generation and calibration.

    After each use the least recently used indexes are removed until the others fit in the limit. So an index that is
    larger than the limit is read again for each use.
    """

    views: Views
    cached: ByteCache[IndexKey, CachedIndex[Any]]
    _loading: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Agents are loaded one at a time, because the size of an index is not known before."""

    @classmethod
    def within(cls, limit: int, views: Views) -> Self:
        """Return an empty cache of indexes that together have at most `limit` bytes."""
        return cls(views, ByteCache(limit, lambda _, cached: cached.index.nbytes))

    @asynccontextmanager
    async def current(
        self, table: IndexedTable[IndexT], agent_id: str, vectors: Vectors, person: str = ""
    ) -> AsyncIterator[IndexT]:
        """Update the index of an agent from the projections and yield it. It is locked during the context.

        It has the memories that belong to the person; to nobody without one. Its vectors are centred by the calibrated
        store `vectors`.
        """
        key = (table.name, agent_id, person, vectors.comparing.space)
        cached: CachedIndex[IndexT] | None = self.cached.get(key)
        if cached is None:
            cached = CachedIndex(table, agent_id, table.create(vectors.embedder.dimension), person)
        self.cached.keep(key, cached)
        async with cached.lock:
            async with nullcontext() if len(cached.index) else self._loading:
                await cached.refresh(self.views, vectors)
            self.cached.keep(key, cached)
            yield cached.index
