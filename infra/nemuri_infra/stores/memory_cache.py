"""What the agents of a process remember, on disk: however much it is, the process does not grow with it.

A private temporary database of SQLite, without a name, that goes with the process however it ends. It is no source of
facts: who begins anew fills another one from the log. One agent's memories lie together, so that a search reads them in
one sweep.
"""

import sqlite3
import struct
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_domain.tiered.retrieval import COLUMNS, row_of
from nemuri_domain.tiered.vector_index import Shelf

Vector = NDArray[np.float32]
_SETTINGS = (
    "PRAGMA page_size = 16384",  # for some eight memories
    "PRAGMA cache_size = -2048",  # kilobytes; the rest is for the system to keep at hand
    "PRAGMA journal_mode = MEMORY",
    "PRAGMA synchronous = OFF",
)
_TABLE = """
    CREATE TABLE memory (
        agent TEXT, id BLOB, columns BLOB, vector BLOB, record BLOB, PRIMARY KEY (agent, id)
    ) WITHOUT ROWID
"""
_COLUMNS = struct.Struct("<bbdd")  # as numpy packs `COLUMNS`


class Shelves:
    """The memories of many agents; raises `sqlite3.OperationalError` where there is no room for them."""

    def __init__(self, dimension: int) -> None:
        """Nobody's yet; vectors have so many dimensions."""
        self._dimension = dimension
        self._database = sqlite3.connect("")
        for each in (*_SETTINGS, _TABLE):
            self._database.execute(each)

    def close(self) -> None:
        """Give the room back."""
        self._database.close()

    def take(self, memories: Iterable[TierMemory], vectors: Mapping[UUID, Vector]) -> None:
        """Add memories with their vectors, or bring those that have none here up to date."""
        with self._database:
            for each in memories:
                columns, record = _COLUMNS.pack(*row_of(each)), each.model_dump_json()
                key, vector = (each.agent_id, each.memory_id.bytes), vectors.get(each.memory_id)
                if vector is None:
                    change = "UPDATE memory SET columns = ?, record = ? WHERE agent = ? AND id = ?"
                    self._database.execute(change, (columns, record, *key))
                else:
                    row = (*key, columns, vector.astype("<f4").tobytes(), record)
                    self._database.execute("INSERT OR REPLACE INTO memory VALUES (?, ?, ?, ?, ?)", row)

    def drop(self, agent_id: str, memory_ids: Iterable[UUID] | None = None) -> None:
        """Take out what an agent does not remember any more; without ids all of it."""
        with self._database:
            if memory_ids is None:
                self._database.execute("DELETE FROM memory WHERE agent = ?", (agent_id,))
            else:
                gone = [(agent_id, each.bytes) for each in memory_ids]
                self._database.executemany("DELETE FROM memory WHERE agent = ? AND id = ?", gone)

    def memories(self, agent_id: str, memory_ids: Iterable[UUID] | None = None) -> dict[UUID, TierMemory]:
        """Those of the memories that there are; without ids all of the agent's."""
        rows: Sequence[tuple[bytes, ...]]
        if memory_ids is None:
            rows = self._database.execute("SELECT record FROM memory WHERE agent = ?", (agent_id,)).fetchall()
        else:
            rows = self._each("SELECT record FROM memory WHERE agent = ? AND id = ?", agent_id, memory_ids)
        found = (TierMemory.model_validate_json(record) for (record,) in rows)
        return {each.memory_id: each for each in found}

    def memory(self, agent_id: str, memory_id: UUID) -> TierMemory:
        """One memory; raises `KeyError` where there is none of the id."""
        return self.memories(agent_id, (memory_id,))[memory_id]

    def vectors(self, agent_id: str, memory_ids: Iterable[UUID]) -> dict[UUID, Vector]:
        """The vectors of those of the memories that there are."""
        rows = self._each("SELECT id, vector FROM memory WHERE agent = ? AND id = ?", agent_id, memory_ids)
        return {UUID(bytes=each): np.frombuffer(vector, "<f4") for each, vector in rows}

    def shelf(self, agent_id: str) -> Shelf:
        """All of an agent's memories as columns."""
        rows = self._database.execute("SELECT id, columns, vector FROM memory WHERE agent = ?", (agent_id,)).fetchall()
        ids, columns, vectors = zip(*rows, strict=True) if rows else ((), (), ())
        return Shelf(
            lambda place: UUID(bytes=ids[place]),
            np.frombuffer(b"".join(columns), COLUMNS),
            np.frombuffer(b"".join(vectors), "<f4").reshape(len(ids), self._dimension),
        )

    def _each(self, query: str, agent_id: str, memory_ids: Iterable[UUID]) -> Sequence[tuple[bytes, ...]]:
        found = (self._database.execute(query, (agent_id, each.bytes)).fetchone() for each in memory_ids)
        return [each for each in found if each is not None]
