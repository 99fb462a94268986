"""The query for the memories from which keywords are proposed."""

from typing import Final

from sqlalchemy import Text, bindparam, func, select

from nemuri_domain.strength.keyword_proposals import SampledMemory
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database

MAX_MEMORIES: Final = 2_000
"""Maximum number of memories that are read, the most recently changed ones."""
READ_CHARACTERS: Final = 1_000
"""Number of characters at the start of a memory that are read."""

_STATE, _CONTENT = tables.memory_state.c, tables.memory.c
_SAMPLE = (
    select(
        func.left(_CONTENT.memory["content"].astext, READ_CHARACTERS),
        _CONTENT.memory["learnings"],
    )
    .join(tables.memory, _CONTENT.memory_id == _STATE.memory_id)
    .where(_STATE.agent_id == bindparam("agent", type_=Text), _STATE.status == "active")
    .order_by(_STATE.changed.desc(), _STATE.memory_id)
    .limit(MAX_MEMORIES)
)


async def sampled_memories(database: Database, agent_id: str) -> list[SampledMemory]:
    """Return the `MAX_MEMORIES` active memories of an agent that changed last, newest first."""
    async with database.reading() as connection:
        rows = await connection.execute(_SAMPLE, {"agent": agent_id})
        return [SampledMemory(content, learnings or {}) for content, learnings in rows]
