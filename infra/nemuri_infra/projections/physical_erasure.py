"""What the views do not hold any more, byte by byte: out of tables, statistics and the write-ahead log."""

import asyncio

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_infra.errors.database_errors import reason
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.rebuilder import alone

_WORDLESS = (tables.journal, tables.erased)
"""Tables of ids, kinds and names of agents: an erasure leaves those."""
_SEGMENTS = text("SELECT count(*) FROM pg_ls_waldir()")
_TURN = (
    text("SELECT pg_logical_emit_message(false, 'nemuri', 'turn the page')"),
    text("SELECT pg_switch_wal()"),
)
"""What makes the server fill the rest of a segment with zeros and go on with the next."""
_NOW = text("SELECT CAST(CAST(pg_current_xact_id() AS xid) AS text)")
_SEEING = text(
    """
    -- Transactions that began before: the rows that they may see are kept by whoever writes a table anew.
    SELECT 1 FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND datname = current_database() AND age(backend_xmin) > age(CAST(:now AS xid))
    """
)
PATIENCE = 30.0
"""Seconds for which such transactions are waited for; those of services take milliseconds."""
POLL = 0.02


async def scrub(database: Database) -> tuple[str, ...]:
    """Make the bytes of removed rows go, and return what the server does not let us do, for its operator to do.

    Tables with words are written anew, each closed for as long as that takes. Then the write-ahead log goes round
    once: segments are renamed and used again with their old bytes in them, so all of them are passed over. A rebuild
    that is at work is waited for.
    """
    left: list[str] = []
    works = (("tables", _tables), ("the planner's statistics", _statistics), ("the write-ahead log", _write_ahead_log))
    async with alone(database), database.reading() as connection:
        for what, work in works:
            try:
                await work(connection, database)
            except _SeenError:
                left.append(f"{what} may hold it, as a transaction goes on: end it, then run `nemuri forget --resume`")
            except DBAPIError as error:
                left.append(f"{what} could not be cleaned ({reason(error)}): let a superuser do it")
    return tuple(left)


def _names(database: Database) -> list[str]:
    return [f'"{database.schema}"."{each.name}"' for each in tables.VIEWS if each not in _WORDLESS]


async def _tables(connection: AsyncConnection, database: Database) -> None:
    await _unseen(connection)
    for name in _names(database):
        await connection.execute(text(f"VACUUM (FULL, ANALYZE) {name}"))


async def _statistics(connection: AsyncConnection, database: Database) -> None:
    """Samples of values that the planner keeps; those of a table that has become empty it would keep for ever."""
    for name in _names(database):
        removal = f"DELETE FROM pg_catalog.pg_statistic WHERE starelid = '{name}'::regclass"  # noqa: S608 - our own tables
        await connection.execute(text(f"{removal} AND NOT EXISTS (SELECT FROM {name})"))
    await _unseen(connection)
    for table in ("pg_statistic", "pg_statistic_ext_data"):
        await connection.execute(text(f"VACUUM FULL pg_catalog.{table}"))


class _SeenError(Exception):
    """A transaction goes on that may see what was removed."""


async def _unseen(connection: AsyncConnection) -> None:
    """Return once no transaction can see any more what was removed by now; raises `_SeenError` after a while."""
    now = (await connection.execute(_NOW)).scalar_one()
    try:
        async with asyncio.timeout(PATIENCE):
            while (await connection.execute(_SEEING, {"now": now})).first():  # noqa: ASYNC110 - the server tells nobody
                await asyncio.sleep(POLL)
    except TimeoutError as error:
        raise _SeenError from error


async def _write_ahead_log(connection: AsyncConnection, _database: Database) -> None:
    await connection.execute(text("CHECKPOINT"))
    for _ in range(1 + int((await connection.execute(_SEGMENTS)).scalar_one())):
        for statement in _TURN:
            await connection.execute(statement)
    await connection.execute(text("CHECKPOINT"))
