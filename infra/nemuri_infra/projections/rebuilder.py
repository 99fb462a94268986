"""The views made anew beside those in use: to replace them, or to compare them with."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import structlog
from sqlalchemy import Table, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_infra.bus.event_log import Log
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.projections import tables
from nemuri_infra.projections.batch_fold import NO_FAULT_OF_AN_EVENT, fold
from nemuri_infra.projections.bulk_fold import Advance, refold
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.log_identity import check_belonging
from nemuri_infra.projections.projection import (
    FOLD,
    GapError,
    OtherFoldsError,
    Position,
    Projection,
    Unprojectable,
    hold,
    position_in,
)

SHOWN = 20
"""So many differences of a view are told, the others only counted."""

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Verified:
    """What a comparison found."""

    sequence: int
    """The place in the log at which both were compared."""
    rows: int
    """Rows of all views in use."""
    differences: tuple[str, ...]
    """One line for each row that is in one of them only; empty when they agree."""
    halted: str | None = None
    """Why the views in use do not go on from there; None while they do."""
    halted_at: int | None = None
    """The event at which they do not go on; None where the reason is no event."""


async def rebuild(live: Projection, log: Log, advance: Advance) -> int:
    """Replace the views by what the log says now, and return the place they are at.

    The views in use serve until the moment of the exchange; whoever projects waits for the last stretch only. Raises
    `OtherFoldsError` for views that a newer version made, and `Unprojectable`.
    """
    _check_not_newer(await live.position())
    async with _beside(live) as fresh:
        await _make(fresh, log, await log.last_sequence(), advance)
        async with live.database.begin() as connection:
            await hold(connection, live.database.schema)
            _check_not_newer(await position_in(connection))
            until = await log.last_sequence()
            await catch_up(fresh, log, until, advance)
            await _exchange(connection, live.database.schema, fresh.database.schema)
    return until


async def verify(live: Projection, log: Log, advance: Advance) -> Verified:
    """Compare every row of every view with what the log says, at the place that the views in use are at.

    Raises `Unprojectable` for views of another log, and `OtherFoldsError`.
    """
    OtherFoldsError.check(await live.position())
    await check_belonging(live, log)
    async with _beside(live) as fresh:
        await _make(fresh, log, (await live.position()).sequence, advance)
        async with live.database.begin() as connection:
            await hold(connection, live.database.schema)
            position = await position_in(connection)
            until = position.sequence
            await catch_up(fresh, log, until, advance)
            counts = [await _count(connection, table) for table in tables.VIEWS]
            found = [
                difference
                for table in tables.VIEWS
                for difference in await _differences(connection, table, fresh.database.schema)
            ]
    return Verified(until, sum(counts), tuple(found), position.halted, position.halted_at)


def _check_not_newer(position: Position) -> None:
    """Raise `OtherFoldsError` for views that a newer version made: they are never made anew by an older one."""
    if position.fold > FOLD:
        raise OtherFoldsError(position.fold)


async def _make(fresh: Projection, log: Log, until: int, advance: Advance) -> None:
    """Fold the log up to a place into empty views. Raises `Unprojectable`, which names the event.

    What is folded in bulk fails in bulk: then it is folded again in stretches, up to the event that is at fault.
    """
    try:
        await refold(fresh, log, until, advance)
    except (Unprojectable, *NO_FAULT_OF_AN_EVENT):
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, what follows says at which event
        logger.warning("not made anew in bulk", why=log_safe(error))
        await fresh.database.empty(each.name for each in (*tables.VIEWS, tables.checkpoint))
        await catch_up(fresh, log, until, advance)


@asynccontextmanager
async def _beside(live: Projection) -> AsyncIterator[Projection]:
    """A projection into an empty schema of its own, one at a time; dropped at the end unless it was exchanged."""
    schema = f"{live.database.schema}~next"
    beside = Database.at(live.database.url, schema, durable=False)
    async with alone(live.database):
        try:
            await _drop(live.database, schema)
            await beside.migrate()
            yield replace(live, database=beside)
        finally:
            await beside.close()
            await _drop(live.database, schema)


@asynccontextmanager
async def alone(database: Database) -> AsyncIterator[None]:
    """Make views beside those in use, or clean those in use, one at a time.

    Views that are made beside may hold what is erased meanwhile; they are cleaned once they are in use. The lock is
    that of a session: a transaction would keep every row that is removed meanwhile from being cleaned away.
    """
    key = func.hashtextextended(f"{database.schema}~next, one at a time", 0)
    async with database.reading() as connection:
        await connection.execute(select(func.pg_advisory_lock(key)))
        try:
            yield
        finally:
            try:
                await connection.execute(select(func.pg_advisory_unlock(key)))
            except BaseException:
                await connection.invalidate()  # the server lets go of the lock with the session
                raise


async def catch_up(projection: Projection, log: Log, until: int, advance: Advance) -> None:
    """Bring the views up to a place in the log; raises `Unprojectable` and `OtherFoldsError`."""
    await check_belonging(projection, log)
    while (here := (await projection.position()).sequence) < until:
        try:
            async for batch in log.read(here, until):
                advance(await fold(projection, batch, log.subjects), until)
        except GapError as error:
            logger.warning("reading again", why=str(error))


async def _exchange(connection: AsyncConnection, live: str, fresh: str) -> None:
    await connection.execute(text(f'DROP SCHEMA IF EXISTS "{live}~old" CASCADE'))
    await connection.execute(text(f'ALTER SCHEMA "{live}" RENAME TO "{live}~old"'))
    await connection.execute(text(f'ALTER SCHEMA "{fresh}" RENAME TO "{live}"'))


async def _drop(database: Database, schema: str) -> None:
    async with database.begin() as connection:
        for name in (schema, f"{database.schema}~old"):
            await connection.execute(text(f'DROP SCHEMA IF EXISTS "{name}" CASCADE'))


async def _count(connection: AsyncConnection, table: Table) -> int:
    counted = await connection.execute(text(f"SELECT count(*) FROM {table.name}"))  # noqa: S608 - our own tables
    return int(counted.scalar_one())


async def _differences(connection: AsyncConnection, table: Table, fresh: str) -> list[str]:
    columns = ", ".join(f'"{column.name}"' for column in table.columns)
    query = text(
        f"""
        -- Rows that are on one side only: of the views in use, or of those made from the log.
        SELECT 'in use only' AS side, to_jsonb(gone)::text AS row FROM (
            SELECT {columns} FROM {table.name} EXCEPT SELECT {columns} FROM "{fresh}".{table.name}) AS gone
        UNION ALL
        SELECT 'from the log only', to_jsonb(missing)::text FROM (
            SELECT {columns} FROM "{fresh}".{table.name} EXCEPT SELECT {columns} FROM {table.name}) AS missing
        """  # noqa: S608 - names of our own tables and schemas
    )
    found = [f"{table.name}, {each.side}: {each.row[:300]}" for each in await connection.execute(query)]
    more = len(found) - SHOWN
    return found if more <= 0 else [*found[:SHOWN], f"{table.name}: {more} more"]
