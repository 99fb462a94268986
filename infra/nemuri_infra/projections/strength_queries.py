"""Queries on strength memories and their changes."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_domain.strength.aggregate import Content, Memory, Remembered
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database, binary_rows
from nemuri_infra.projections.rows import selection

_STATES = selection(tables.memory_state, Memory)
_CONTENTS = selection(tables.memory, Content)
_BY_ID = f"""
    SELECT to_json(known)::text, to_json(present)::text
    FROM {_STATES} AS present JOIN {_CONTENTS} AS known USING (memory_id)
    WHERE present.memory_id = ANY(%(ids)s::uuid[])
"""  # noqa: S608 - names of our own tables
_CONTENT = {name: f"content_{name}" for name in Content.model_fields}
_STATE = {name: f"state_{name}" for name in Memory.model_fields}


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


async def memories_with_ids(connection: AsyncConnection, memory_ids: Iterable[UUID]) -> list[Remembered]:
    """Return the memories with these ids, in no order. Unknown ids are left out."""
    rows = await binary_rows(connection, _BY_ID, {"ids": list(memory_ids)})
    return [(Content.model_validate_json(content), Memory.model_validate_json(state)) for content, state in rows]


_LESSONS = text(
    f"""
    -- The newest lessons from feedback, of one agent or of all.
    SELECT to_json(known)::text AS content FROM {_CONTENTS} AS known
    WHERE source = 'feedback' AND (CAST(:agent_id AS text) IS NULL OR agent_id = :agent_id)
    ORDER BY created DESC LIMIT :limit
    """  # noqa: S608 - names of our own tables
)


async def newest_lessons(database: Database, agent_id: str | None, limit: int) -> list[Content]:
    """Return the newest lessons from feedback, at most `limit`, of an agent; of all agents if `agent_id` is None."""
    async with database.reading() as connection:
        rows = await connection.execute(_LESSONS, {"agent_id": agent_id, "limit": limit})
        return [Content.model_validate_json(row.content) for row in rows]
