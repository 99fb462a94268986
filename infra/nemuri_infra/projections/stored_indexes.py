"""The stored copies of agents' retrieval indexes.

A copy is disposable. It saves the time of making an index from all memories of an agent.
"""

from dataclasses import dataclass

from sqlalchemy import text

from nemuri_infra.projections.database import Database, binary_rows

_KEY = "hashtextextended(current_schema() || ', copies of indexes', 0)"
EXCLUSIVE = text(f"SELECT pg_advisory_xact_lock({_KEY})")
"""Statement after which no copy is written until the end of the transaction."""
_SHARED = text(f"SELECT pg_advisory_xact_lock_shared({_KEY})")
TABLES = text("SELECT to_regclass('memory_state')::oid::bigint")
"""Query for a number that changes when a rebuild exchanges the tables."""
_READ = """
    SELECT to_regclass('memory_state')::oid::bigint, copy.until, copy.data
    FROM (SELECT) AS one LEFT JOIN retrieval_index AS copy
        ON copy.agent_id = %(agent_id)s AND copy.model = %(generation)s AND copy.format = %(format)s
"""
_WRITE = text(
    """
    -- Nothing is written if something was erased since the index was made, or if a rebuild has exchanged the tables.
    INSERT INTO retrieval_index (agent_id, model, format, until, data)
    SELECT :agent_id, :generation, :format, :until, :data
    WHERE NOT EXISTS (SELECT FROM erased WHERE sequence > :seen) AND to_regclass('memory_state')::oid::bigint = :tables
    ON CONFLICT (agent_id, model)
        DO UPDATE SET format = excluded.format, until = excluded.until, data = excluded.data
        WHERE retrieval_index.until <= excluded.until OR retrieval_index.format <> excluded.format
    """
)


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """A stored copy of an index."""

    tables: int
    """Number that changes when a rebuild exchanges the tables."""
    until: int
    """Sequence of the newest change of a memory that the copy contains; 0 without a copy."""
    data: bytes
    """The encoded index; empty without a copy."""


async def read_index(database: Database, agent_id: str, generation: str, *, format_version: int) -> StoredIndex:
    """Return the copy of an agent's index with the vectors of a generation, if there is one in this format."""
    values = {"agent_id": agent_id, "generation": generation, "format": format_version}
    async with database.reading() as connection:
        ((tables, until, data),) = await binary_rows(connection, _READ, values)
    return StoredIndex(tables, until or 0, data or b"")


async def write_index(
    database: Database, agent_id: str, generation: str, copy: StoredIndex, *, seen: int, format_version: int
) -> None:
    """Store a copy of an index, unless there is a newer one.

    `seen` is the sequence that the projections had reached before the index was made. Nothing is stored if an erasure
    was projected after it, because the copy may contain what was erased.
    """
    values = {"agent_id": agent_id, "generation": generation, "format": format_version, "seen": seen}
    async with database.begin() as connection:
        await connection.execute(text("SET LOCAL synchronous_commit = off"))
        await connection.execute(_SHARED)
        await connection.execute(_WRITE, values | {"until": copy.until, "data": copy.data, "tables": copy.tables})
