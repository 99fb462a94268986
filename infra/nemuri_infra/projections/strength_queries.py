"""Queries on strength memories and their changes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import FromClause, Row, Select, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_domain.strength.aggregate import Content, Memory, Remembered
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database

PAGE_SIZE = 500
"""Number of memories that are read in one query, so that an agent with many memories does not delay other queries."""
_CONTENT = {name: f"content_{name}" for name in Content.model_fields}
_STATE = {name: f"state_{name}" for name in Memory.model_fields}


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """A changed memory, as a retrieval index needs it: its state, its content, and its vector if it has one."""

    memory: Memory
    content: Content
    vector: NDArray[np.float32] | None


def select_memories(state: FromClause = tables.memory_state) -> Select[Any]:
    """Return a SELECT of memories with content and state.

    `state` is the table of states, or a subquery with some of its rows.
    """
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
    state = tables.memory_state
    place = tuple_(state.c.changed, state.c.memory_id)
    following = select(state).where(state.c.agent_id == agent_id).order_by(place).limit(PAGE_SIZE)
    found: dict[UUID, MemoryChange] = {}
    last = (after, UUID(int=2**128 - 1))
    while True:
        # The page is selected first: without statistics of fresh tables a join over all memories is quadratic
        # (ten thousand memories took 90 s instead of 1 s).
        page = following.where(place > tuple_(*last)).subquery()
        async with database.reading() as connection:
            rows = [memory_in_row(row) for row in await connection.execute(select_memories(page))]
            fresh = [each.memory_id for each, _ in rows if each.memory_id not in known]
            vectors = await _vectors(connection, agent_id, generation, fresh)
        for content, memory in sorted(rows, key=lambda each: (each[1].changed, each[1].memory_id)):
            found[content.memory_id] = MemoryChange(memory, content, vectors.get(content.memory_id))
            last = (memory.changed, memory.memory_id)
        if len(rows) < PAGE_SIZE:
            return list(found.values())


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
