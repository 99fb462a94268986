"""Rebuild of the projections in separate tables, to replace the projections in use or to compare them."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

import structlog
from sqlalchemy import Table, text
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.log_batch import Batch
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.log_identity import check_log_identity
from nemuri_infra.projections.maintenance_lock import exclusive_maintenance
from nemuri_infra.projections.projection import (
    FOLD,
    GapError,
    OtherFoldsError,
    OutdatedError,
    Position,
    Projection,
    lock_schema,
    read_position,
)
from nemuri_infra.projections.projection_writer import ProjectionWriter
from nemuri_infra.projections.snapshots import drop_snapshots, empty_projections, load_snapshot

MAX_DIFFERENCES = 20
"""Maximum number of differences per table that are listed. Further differences are only counted."""
JOINED_BATCHES = 8
"""Number of batches of the log that are folded and written together, to save transactions."""
T = TypeVar("T")
Advance = Callable[[int, int], None]
"""Progress callback of a long operation, called with the completed and the total amount."""
logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of comparing the projections in use with a rebuild."""

    sequence: int
    """Log sequence that the projections in use and the rebuild had both reached when they were compared."""
    rows: int
    """Number of rows in all tables of the projections in use."""
    differences: tuple[str, ...]
    """Differences, one line each: rows that are only in the projections in use or only in the rebuild. Empty if they
    are equal.
    """
    halted: str | None = None
    """Reason why the projections in use are halted; None if they are not."""
    halted_at: int | None = None
    """Sequence of the event at which the projections in use are halted; None if no event is the cause."""


async def rebuild(live: Projection, log: Log, advance: Advance, *, from_start: bool = False) -> int:
    """Rebuild the projections from the log, replace those in use, and return the new position.

    It begins with the newest snapshot if that is usable. With `from_start` it begins with the first event, and deletes
    the snapshots, because these are copies of the replaced projections. The old projections stay in use until the
    exchange. The projector has to wait only while the last batches are folded. `advance` is called with the progress.
    Raises `OtherFoldsError` if the projections have a higher version, and `Unprojectable` if an event cannot be folded.
    """
    _check_not_newer(await live.position())
    async with _fresh_projection(live) as fresh:
        await _fill(fresh, log, await log.last_sequence(), advance, from_snapshot=not from_start)
        async with live.database.begin() as connection:
            await lock_schema(connection, live.database.schema)
            _check_not_newer(await read_position(connection))
            until = await log.last_sequence()
            await catch_up(fresh, log, until, advance)
            await _exchange(connection, live.database.schema, fresh.database.schema)
    if from_start:
        await drop_snapshots(live.database, log)
    return until


async def verify(live: Projection, log: Log, advance: Advance) -> Verified:
    """Compare all rows of the projections with those of a rebuild at the same position.

    `advance` is called with the progress. Raises `Unprojectable` if the projections belong to another log or an event
    cannot be folded, and `OtherFoldsError` if they have another version.
    """
    OtherFoldsError.check(await live.position())
    await check_log_identity(live, log)
    async with _fresh_projection(live) as fresh:
        await _fill(fresh, log, (await live.position()).sequence, advance)
        async with live.database.begin() as connection:
            await lock_schema(connection, live.database.schema)
            position = await read_position(connection)
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
    """Raise `OtherFoldsError` if the projections have a higher version. An older program must not rebuild them."""
    if position.fold > FOLD:
        raise OtherFoldsError(position.fold)


async def _fill(fresh: Projection, log: Log, until: int, advance: Advance, *, from_snapshot: bool = False) -> None:
    """Fold the log up to the sequence `until` into empty projections, with `from_snapshot` beginning with a snapshot.

    Raises `Unprojectable` if an event cannot be folded.
    """
    if not (from_snapshot and await load_snapshot(fresh, log) and await _continued(fresh, log, until, advance)):
        await catch_up(fresh, log, until, advance)
    async with fresh.database.begin() as connection:
        # The first queries on new tables need statistics.
        await connection.execute(text(f"ANALYZE {', '.join(table.name for table in tables.VIEWS)}"))


async def _continued(fresh: Projection, log: Log, until: int, advance: Advance) -> bool:
    """Fold the log after a snapshot. Return False, with empty projections, if one of its events was parked since."""
    try:
        await catch_up(fresh, log, until, advance)
    except OutdatedError as error:
        logger.warning("the snapshot is not used", why=log_safe(error))
        await empty_projections(fresh.database)
        return False
    return True


@asynccontextmanager
async def _fresh_projection(live: Projection) -> AsyncIterator[Projection]:
    """Yield a projection into an empty schema. Waits while another rebuild uses the schema.

    At the end the schema is dropped, or the old schema if both were exchanged.
    """
    schema = f"{live.database.schema}~next"
    new_database = Database.at(live.database.url, schema, durable=False)
    async with exclusive_maintenance(live.database):
        try:
            await _drop(live.database, schema)
            await new_database.create()
            yield replace(live, database=new_database)
        finally:
            await new_database.close()
            await _drop(live.database, schema)


async def catch_up(projection: Projection, log: Log, until: int, advance: Advance) -> None:
    """Fold the log into the projections, from their present position up to the sequence `until`.

    If the position goes back meanwhile, the log is read again from there. The memory needed does not grow with the log.
    Raises `Unprojectable`, `OtherFoldsError`, and `OutdatedError` if the projections contain an event that is parked
    later.
    """
    await check_log_identity(projection, log)
    writer = ProjectionWriter(projection)
    while (here := (await projection.position()).sequence) < until:
        try:
            async with aclosing(prefetch(_joined_batches(log.read(here, until)))) as batches:
                async for batch in batches:
                    advance(await writer.fold(batch, log.subjects), until)
        except GapError as error:
            logger.warning("reading again", why=str(error))


async def _joined_batches(source: AsyncGenerator[Batch]) -> AsyncGenerator[Batch]:
    """Yield the batches, with every `JOINED_BATCHES` of them joined to one."""
    batches: list[Batch] = []
    async with aclosing(source):
        async for batch in source:
            batches.append(batch)
            if len(batches) == JOINED_BATCHES:
                yield _joined(batches)
                batches = []
    if batches:
        yield _joined(batches)


def _joined(batches: Sequence[Batch]) -> Batch:
    events = tuple(event for batch in batches for event in batch.events)
    unreadable = tuple(message for batch in batches for message in batch.unreadable)
    return Batch(events, unreadable, batches[0].after, batches[-1].until)


async def prefetch(source: AsyncGenerator[T]) -> AsyncGenerator[T]:
    """Yield the items of `source`. The next item is fetched while the caller uses the present one."""

    async def fetched() -> T | None:
        return await anext(source, None)

    async with aclosing(source):
        following = asyncio.create_task(fetched())
        try:
            while (item := await following) is not None:
                following = asyncio.create_task(fetched())
                yield item
        finally:
            following.cancel()
            await asyncio.wait([following])


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
        -- Rows that are only in the live tables, or only in those folded from the log.
        SELECT 'in use only' AS side, to_jsonb(gone)::text AS row FROM (
            SELECT {columns} FROM {table.name} EXCEPT SELECT {columns} FROM "{fresh}".{table.name}) AS gone
        UNION ALL
        SELECT 'from the log only', to_jsonb(missing)::text FROM (
            SELECT {columns} FROM "{fresh}".{table.name} EXCEPT SELECT {columns} FROM {table.name}) AS missing
        """  # noqa: S608 - names of our own tables and schemas
    )
    found = [f"{table.name}, {row.side}: {row.row[:300]}" for row in await connection.execute(query)]
    more = len(found) - MAX_DIFFERENCES
    return found if more <= 0 else [*found[:MAX_DIFFERENCES], f"{table.name}: {more} more"]
