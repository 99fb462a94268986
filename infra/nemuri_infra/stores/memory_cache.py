"""A cache of tiered memories on disk, so that they do not fill the RAM of the process.

It is an unnamed temporary SQLite database that disappears with the process. It is not a source of facts: a new process
fills a new cache from the log. The memories of one agent are adjacent on disk, so a search reads them in one scan.
"""

import sqlite3
import struct
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.retrieval.memory_index import MemoryIndex
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_domain.tiered.retrieval import COLUMNS, FIELDS, columns_of

Vector = NDArray[np.float32]
_SETTINGS = (
    "PRAGMA page_size = 16384",  # bytes; room for about eight memories
    "PRAGMA cache_size = -2048",  # kibibytes; the operating system caches the rest
    "PRAGMA journal_mode = MEMORY",
    "PRAGMA synchronous = OFF",
)
_TABLE = """
    CREATE TABLE memory (
        agent TEXT, id BLOB, columns BLOB, vector BLOB, record BLOB, PRIMARY KEY (agent, id)
    ) WITHOUT ROWID
"""
_COLUMNS = struct.Struct("<bbdd")  # the layout in which numpy packs `COLUMNS`


class MemoryCache:
    """A cache of the memories and vectors of many agents.

    Every method raises `sqlite3.OperationalError` if the disk is full.
    """

    def __init__(self, dimension: int) -> None:
        """Create an empty cache for vectors of this dimension."""
        self._dimension = dimension
        self._database = sqlite3.connect("")
        for statement in (*_SETTINGS, _TABLE):
            self._database.execute(statement)

    def close(self) -> None:
        """Close the database and free its space."""
        self._database.close()

    def add(self, memories: Iterable[TierMemory], vectors: Mapping[UUID, Vector]) -> None:
        """Add or replace each memory that has a vector in `vectors`.

        A memory without one is updated and keeps its cached vector. If it has no cached vector either, it is ignored.
        """
        with self._database:
            for memory in memories:
                values = columns_of(*(getattr(memory, name) for name in FIELDS))
                columns, record = _COLUMNS.pack(*values), memory.model_dump_json()
                key, vector = (memory.agent_id, memory.memory_id.bytes), vectors.get(memory.memory_id)
                if vector is None:
                    change = "UPDATE memory SET columns = ?, record = ? WHERE agent = ? AND id = ?"
                    self._database.execute(change, (columns, record, *key))
                else:
                    row = (*key, columns, vector.astype("<f4").tobytes(), record)
                    self._database.execute("INSERT OR REPLACE INTO memory VALUES (?, ?, ?, ?, ?)", row)

    def drop(self, agent_id: str, memory_ids: Iterable[UUID] | None = None) -> None:
        """Remove the agent's memories with these ids, or all its memories if `memory_ids` is None. Unknown ids are
        ignored.
        """
        with self._database:
            if memory_ids is None:
                self._database.execute("DELETE FROM memory WHERE agent = ?", (agent_id,))
            else:
                gone = [(agent_id, memory_id.bytes) for memory_id in memory_ids]
                self._database.executemany("DELETE FROM memory WHERE agent = ? AND id = ?", gone)

    def memories(self, agent_id: str, memory_ids: Iterable[UUID] | None = None) -> dict[UUID, TierMemory]:
        """Return the agent's memories with these ids, by id; all its memories if `memory_ids` is None.

        Unknown ids are left out.
        """
        rows: Sequence[tuple[bytes, ...]]
        if memory_ids is None:
            rows = self._database.execute("SELECT record FROM memory WHERE agent = ?", (agent_id,)).fetchall()
        else:
            rows = self._each("SELECT record FROM memory WHERE agent = ? AND id = ?", agent_id, memory_ids)
        found = (TierMemory.model_validate_json(record) for (record,) in rows)
        return {memory.memory_id: memory for memory in found}

    def memory(self, agent_id: str, memory_id: UUID) -> TierMemory:
        """Return the agent's memory with this id. Raises `KeyError` if the id is unknown."""
        return self.memories(agent_id, (memory_id,))[memory_id]

    def vectors(self, agent_id: str, memory_ids: Iterable[UUID]) -> dict[UUID, Vector]:
        """Return the vectors of the agent's memories with these ids, by id. Unknown ids are left out."""
        rows = self._each("SELECT id, vector FROM memory WHERE agent = ? AND id = ?", agent_id, memory_ids)
        return {UUID(bytes=key): np.frombuffer(vector, "<f4") for key, vector in rows}

    def index(self, agent_id: str) -> MemoryIndex:
        """Read the vectors of all memories of an agent, and return an index of them."""
        rows = self._database.execute("SELECT id, columns, vector FROM memory WHERE agent = ?", (agent_id,)).fetchall()
        ids, columns, vectors = zip(*rows, strict=True) if rows else ((), (), ())
        index, matrix = MemoryIndex(self._dimension, COLUMNS), np.frombuffer(b"".join(vectors), "<f4")
        index.restore(ids, np.frombuffer(b"".join(columns), COLUMNS), matrix.reshape(len(ids), self._dimension))
        return index

    def _each(self, query: str, agent_id: str, memory_ids: Iterable[UUID]) -> Sequence[tuple[bytes, ...]]:
        found = (self._database.execute(query, (agent_id, memory_id.bytes)).fetchone() for memory_id in memory_ids)
        return [memory for memory in found if memory is not None]
