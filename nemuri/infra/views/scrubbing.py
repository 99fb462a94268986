"""What the views do not hold any more, byte by byte: out of tables, statistics and the write-ahead log."""

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri.infra.views import tables
from nemuri.infra.views.database import Database, reason

_SEGMENTS = text("SELECT count(*) FROM pg_ls_waldir()")
_TURN = (
    text("SELECT pg_logical_emit_message(false, 'nemuri', 'turn the page')"),
    text("SELECT pg_switch_wal()"),
)
"""What makes the server fill the rest of a segment with zeros and go on with the next."""


async def scrub(database: Database) -> tuple[str, ...]:
    """Make the bytes of removed rows go, and return what the server does not let us do, for its operator to do.

    Tables are written anew, each closed for as long as that takes. Then the write-ahead log goes round once: segments
    are renamed and used again with their old bytes in them, so all of them are passed over.
    """
    left: list[str] = []
    async with database.reading() as connection:
        for name in _names(database):
            await connection.execute(text(f"VACUUM (FULL, ANALYZE) {name}"))
        for what, work in (("the planner's statistics", _statistics), ("the write-ahead log", _write_ahead_log)):
            try:
                await work(connection, database)
            except DBAPIError as error:
                left.append(f"{what} could not be cleaned ({reason(error)}): let a superuser do it")
    return tuple(left)


def _names(database: Database) -> list[str]:
    return [f'"{database.schema}"."{each.name}"' for each in tables.VIEWS]


async def _statistics(connection: AsyncConnection, database: Database) -> None:
    """Samples of values that the planner keeps; those of a table that has become empty it would keep for ever."""
    for name in _names(database):
        removal = f"DELETE FROM pg_catalog.pg_statistic WHERE starelid = '{name}'::regclass"  # noqa: S608 - our own tables
        await connection.execute(text(f"{removal} AND NOT EXISTS (SELECT FROM {name})"))
    for table in ("pg_statistic", "pg_statistic_ext_data"):
        await connection.execute(text(f"VACUUM FULL pg_catalog.{table}"))


async def _write_ahead_log(connection: AsyncConnection, _database: Database) -> None:
    await connection.execute(text("CHECKPOINT"))
    for _ in range(1 + int((await connection.execute(_SEGMENTS)).scalar_one())):
        for statement in _TURN:
            await connection.execute(statement)
    await connection.execute(text("CHECKPOINT"))
