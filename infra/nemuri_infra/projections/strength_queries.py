"""Queries on strength memories and their changes."""

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Row, Select, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_domain.strength.aggregate import Content, Memory, Remembered
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database, binary_rows
from nemuri_infra.projections.rows import selection

PAGE_SIZE = 10_000
"""Maximum number of changes that are read in one query."""
PART_SIZE = 1_000
"""Number of memories that are read in one query, so that an agent with many memories does not delay other queries."""
_STATES = selection(tables.memory_state, Memory)
_BY_ID = f"""
    SELECT to_json(known)::text, to_json(present)::text
    FROM {_STATES} AS present JOIN memory AS known USING (memory_id)
    WHERE present.memory_id = ANY(%(ids)s::uuid[])
"""  # noqa: S608 - names of our own tables
_CHANGED = f"""
    SELECT to_json(present)::text FROM {_STATES} AS present
    WHERE agent_id = %(agent_id)s AND (changed, memory_id) > (%(changed)s, %(memory_id)s)
    ORDER BY changed, memory_id LIMIT {PAGE_SIZE}
"""  # noqa: S608 - a constant of our own
_INDEXED = """
    -- Looked up by key: without statistics, directly after an import, a join compares each memory with each vector.
    SELECT (SELECT to_json(known)::text FROM memory AS known WHERE known.memory_id = wanted.memory_id),
        (SELECT sparsevec_send(CAST(made.vector AS sparsevec)) FROM memory_vector AS made
         WHERE made.agent_id = %(agent_id)s AND made.model = %(generation)s AND made.memory_id = wanted.memory_id)
    FROM unnest(%(ids)s::uuid[]) AS wanted (memory_id)
"""
_CONTENT = {name: f"content_{name}" for name in Content.model_fields}
_STATE = {name: f"state_{name}" for name in Memory.model_fields}


class IndexedMemory(NamedTuple):
    """The part of a memory that a retrieval index holds."""

    content: Content
    vector: NDArray[np.float32] | None
    """None if the memory has no vector of the generation."""


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


async def changes(database: Database, agent_id: str, after: int) -> list[Memory]:
    """Return the states of the agent's memories that changed after the sequence `after`, in the order of their changes.

    A memory may occur twice.
    """
    found: list[Memory] = []
    last = {"changed": after, "memory_id": UUID(int=2**128 - 1)}
    while True:
        async with database.reading() as connection:
            rows = await binary_rows(connection, _CHANGED, {"agent_id": agent_id, **last})
        found += [Memory.model_validate_json(state) for (state,) in rows]
        if len(rows) < PAGE_SIZE:
            return found
        last = {"changed": found[-1].changed, "memory_id": found[-1].memory_id}


async def indexed_memories(
    database: Database, agent_id: str, memory_ids: Sequence[UUID], generation: str
) -> AsyncIterator[list[IndexedMemory]]:
    """Yield what an index takes from these memories of an agent, with the vectors of a generation, in parts.

    Memories that do not exist are left out.
    """
    for start in range(0, len(memory_ids), PART_SIZE):
        some = list(memory_ids[start : start + PART_SIZE])
        wanted = {"agent_id": agent_id, "ids": some, "generation": generation}
        async with database.reading() as connection:
            rows = await binary_rows(connection, _INDEXED, wanted)
        yield [
            IndexedMemory(Content.model_validate_json(content), _vector(vector)) for content, vector in rows if content
        ]


async def memories_with_ids(connection: AsyncConnection, memory_ids: Iterable[UUID]) -> list[Remembered]:
    """Return the memories with these ids, in no order. Unknown ids are left out."""
    rows = await binary_rows(connection, _BY_ID, {"ids": list(memory_ids)})
    return [(Content.model_validate_json(content), Memory.model_validate_json(state)) for content, state in rows]


def _vector(data: bytes | None) -> NDArray[np.float32] | None:
    """Return the vector in pgvector's binary format of sparse vectors, in network order.

    It has the dimension, the number of coordinates that are not zero, four unused bytes, these dimensions and their
    values.
    """
    if data is None:
        return None
    dimension, count = np.frombuffer(data, ">i4", 2)
    row = np.zeros(dimension, np.float32)
    row[np.frombuffer(data, ">i4", count, 12)] = np.frombuffer(data, ">f4", count, 12 + 4 * count)
    return row


_LESSONS = text(
    """
    -- The newest lessons from feedback, of one agent or of all.
    SELECT to_json(known)::text AS content FROM memory AS known
    WHERE source = 'feedback' AND (CAST(:agent_id AS text) IS NULL OR agent_id = :agent_id)
    ORDER BY created DESC LIMIT :limit
    """
)


async def newest_lessons(database: Database, agent_id: str | None, limit: int) -> list[Content]:
    """Return the newest lessons from feedback, at most `limit`, of an agent; of all agents if `agent_id` is None."""
    async with database.reading() as connection:
        rows = await connection.execute(_LESSONS, {"agent_id": agent_id, "limit": limit})
        return [Content.model_validate_json(row.content) for row in rows]
