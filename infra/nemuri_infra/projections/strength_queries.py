"""Queries on strength memories and their changes."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Row, Select, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_domain.strength.aggregate import Content, Memory, Remembered
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.rows import selection

PAGE_SIZE = 500
"""Number of memories that are read in one query, so that an agent with many memories does not delay other queries."""
_STATES = selection(tables.memory_state, Memory)
_BY_ID = text(f"""
    SELECT to_json(known) AS content, to_json(present) AS state
    FROM {_STATES} AS present JOIN memory AS known USING (memory_id)
    WHERE present.memory_id = ANY(CAST(:ids AS uuid[]))
""")  # noqa: S608 - names of our own tables
_CHANGED = text(f"""
    -- The page is selected first: without statistics of fresh tables a join over all memories is quadratic
    -- (ten thousand memories took 90 s instead of 1 s).
    SELECT to_json(known) AS content, to_json(page) AS state FROM (
        SELECT * FROM {_STATES} AS state WHERE agent_id = :agent_id AND (changed, memory_id) > (:changed, :memory_id)
        ORDER BY changed, memory_id LIMIT :limit
    ) AS page JOIN memory AS known USING (memory_id)
""")  # noqa: S608 - names of our own tables
_CONTENT = {name: f"content_{name}" for name in Content.model_fields}
_STATE = {name: f"state_{name}" for name in Memory.model_fields}


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """A changed memory, as a retrieval index needs it: its state, its content, and its vector if it has one."""

    memory: Memory
    content: Content
    vector: NDArray[np.float32] | None


def select_memories() -> Select[Any]:
    """Return a SELECT of memories with content and state."""
    state = tables.memory_state
    content = (tables.memory.c[name].label(label) for name, label in _CONTENT.items())
    strength = (state.c[name].label(label) for name, label in _STATE.items())
    joined = tables.memory.c.memory_id == state.c.memory_id
    return select(*content, *strength).select_from(state.join(tables.memory, joined))


def memory_in_row(row: Row[Any]) -> Remembered:
    """Return the memory in a row of `select_memories`."""
    known = row._mapping  # noqa: SLF001 - the documented mapping of a row
    content = Content.model_validate({name: known[label] for name, label in _CONTENT.items()})
    return content, Memory.model_validate({name: known[label] for name, label in _STATE.items()})


async def changes(
    database: Database, agent_id: str, after: int, *, generation: str, known: Collection[UUID] = ()
) -> list[MemoryChange]:
    """Return the agent's memories that changed after the sequence `after`, each with its vector of this generation, if
    any. Vectors of memories in `known` are not read.
    """
    found: dict[UUID, MemoryChange] = {}
    last = {"changed": after, "memory_id": UUID(int=2**128 - 1)}
    while True:
        async with database.reading() as connection:
            page = await connection.execute(_CHANGED, {"agent_id": agent_id, "limit": PAGE_SIZE, **last})
            rows = [_remembered(row) for row in page]
            fresh = [memory.memory_id for _, memory in rows if memory.memory_id not in known]
            vectors = await _vectors(connection, agent_id, generation, fresh)
        for content, memory in sorted(rows, key=lambda each: (each[1].changed, each[1].memory_id)):
            found[content.memory_id] = MemoryChange(memory, content, vectors.get(content.memory_id))
            last = {"changed": memory.changed, "memory_id": memory.memory_id}
        if len(rows) < PAGE_SIZE:
            return list(found.values())


async def memories_with_ids(connection: AsyncConnection, memory_ids: Iterable[UUID]) -> list[Remembered]:
    """Return the memories with these ids, in no order. Unknown ids are left out."""
    return [_remembered(row) for row in await connection.execute(_BY_ID, {"ids": list(memory_ids)})]


def _remembered(row: Row[Any]) -> Remembered:
    return Content.model_validate(row.content), Memory.model_validate(row.state)


async def _vectors(
    connection: AsyncConnection, agent_id: str, generation: str, memory_ids: Sequence[UUID]
) -> dict[UUID, NDArray[np.float32]]:
    """Return the vectors of this generation for these memories, by memory id. Memories without one are left out."""
    if not memory_ids:
        return {}
    vector = tables.memory_vector.c
    query = select(vector.memory_id, vector.vector).where(
        vector.agent_id == agent_id, vector.model == generation, vector.memory_id.in_(memory_ids)
    )
    return {memory_id: found.to_numpy() for memory_id, found in await connection.execute(query)}
