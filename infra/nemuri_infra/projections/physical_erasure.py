"""Physical removal of deleted rows from tables, from the planner's statistics and from the write-ahead log."""

import asyncio

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_infra.errors.database_errors import reason
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.maintenance_lock import exclusive_maintenance

_WORDLESS = (tables.journal, tables.erased)
"""Tables that contain only ids, kinds and names of agents. They hold no text, so they are not rewritten."""
_WORDED = (*(view for view in tables.VIEWS if view not in _WORDLESS), tables.retrieval_index)
_SEGMENTS = text("SELECT count(*) FROM pg_ls_waldir()")
_TURN = (
    text("SELECT pg_logical_emit_message(false, 'nemuri', 'turn the page')"),
    text("SELECT pg_switch_wal()"),
)
"""Statements that fill the rest of a WAL segment with zeros and switch to the next segment."""
_NOW = text("SELECT CAST(CAST(pg_current_xact_id() AS xid) AS text)")
_SEEING = text(
    """
    -- Older transactions. A rewrite of a table keeps the rows that they may still see.
    SELECT 1 FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND datname = current_database() AND age(backend_xmin) > age(CAST(:now AS xid))
    """
)
WAIT_SECONDS = 30.0
"""Maximum number of seconds to wait until older transactions end. Transactions of services take milliseconds."""
POLL = 0.02


async def scrub(database: Database) -> tuple[str, ...]:
    """Remove the bytes of deleted rows from the disk. Return a line for each step that failed; it tells an operator
    what to do.

    A step fails if it needs more privileges, or if a transaction stays open. Tables with texts are rewritten, each
    under an exclusive lock. Then the write-ahead log is cycled once through all its segments, because recycled segments
    keep their old bytes. Waits for a running rebuild.
    """
    left: list[str] = []
    works = (("tables", _tables), ("the planner's statistics", _statistics), ("the write-ahead log", _write_ahead_log))
    async with exclusive_maintenance(database), database.without_transaction() as connection:
        for what, work in works:
            try:
                await work(connection, database)
            except _SeenError:
                left.append(
                    f"{what} may contain erased data: end the open transaction, then run `nemuri forget --resume`"
                )
            except DBAPIError as error:
                left.append(f"{what} could not be cleaned ({reason(error)}): let a superuser do it")
    return tuple(left)


def _names(database: Database) -> list[str]:
    return [f'"{database.schema}"."{table.name}"' for table in _WORDED]


async def _tables(connection: AsyncConnection, database: Database) -> None:
    await _unseen(connection)
    for name in _names(database):
        await connection.execute(text(f"VACUUM (FULL, ANALYZE) {name}"))


async def _statistics(connection: AsyncConnection, database: Database) -> None:
    """Delete the planner's statistics of empty tables, and rewrite the system tables that contain sampled values.

    PostgreSQL itself would never delete the samples of an empty table.
    """
    for name in _names(database):
        removal = f"DELETE FROM pg_catalog.pg_statistic WHERE starelid = '{name}'::regclass"  # noqa: S608 - our own tables
        await connection.execute(text(f"{removal} AND NOT EXISTS (SELECT FROM {name})"))
    await _unseen(connection)
    for table in ("pg_statistic", "pg_statistic_ext_data"):
        await connection.execute(text(f"VACUUM FULL pg_catalog.{table}"))


class _SeenError(Exception):
    """A running transaction can still see deleted rows."""


async def _unseen(connection: AsyncConnection) -> None:
    """Wait until no open transaction can see the rows that are deleted by now.

    Raises `_SeenError` after `WAIT_SECONDS` seconds.
    """
    now = (await connection.execute(_NOW)).scalar_one()
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            while (await connection.execute(_SEEING, {"now": now})).first():  # noqa: ASYNC110 - no event to wait for
                await asyncio.sleep(POLL)
    except TimeoutError as error:
        raise _SeenError from error


async def _write_ahead_log(connection: AsyncConnection, _database: Database) -> None:
    await connection.execute(text("CHECKPOINT"))
    for _ in range(1 + int((await connection.execute(_SEGMENTS)).scalar_one())):
        for statement in _TURN:
            await connection.execute(statement)
    await connection.execute(text("CHECKPOINT"))
