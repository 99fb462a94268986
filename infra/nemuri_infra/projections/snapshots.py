"""Snapshots of the projections: copies of all tables, from which a rebuild can begin."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
import structlog
from sqlalchemy import Table, insert, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.pull_reader import READER_ERRORS
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database, driver
from nemuri_infra.projections.log_identity import check_log_identity
from nemuri_infra.projections.maintenance_lock import check_held, exclusive_maintenance
from nemuri_infra.projections.projection import FOLD, VIEW, Position, Projection, Unprojectable, read_position
from nemuri_infra.projections.state_tables import metadata
from nemuri_infra.stores.snapshots import (
    PIECE_BYTES,
    BrokenSnapshotError,
    Snapshot,
    SnapshotOrigin,
    SnapshotStore,
    SnapshotWriter,
)

GROWTH = 0.1
"""Minimum share of the log, 0 to 1, that is newer than the last snapshot when the next one is made.

So the price of snapshots for an event does not grow with the log.
"""

logger = structlog.get_logger()


async def make_snapshot(projection: Projection, log: Log, events: int, *, growth: float = GROWTH) -> Snapshot | None:
    """Store a snapshot of the projections, delete the one before it, and return its description.

    Returns None without a new snapshot if fewer than `events` events were folded since the newest one, if these are
    less than the share `growth` of the log, or if another version of the folds built the projections. Waits for a
    running rebuild, snapshot or physical erasure. The projector continues meanwhile.
    """
    store = SnapshotStore.of(log)
    if not _due(await projection.position(), await store.newest(), events, growth):
        return None
    async with exclusive_maintenance(projection.database) as lock, _one_moment(projection.database) as connection:
        position = await read_position(connection)
        if not _due(position, await store.newest(), events, growth):
            return None
        origin = SnapshotOrigin(log=await log.identity(), fold=FOLD)
        writer = SnapshotWriter(store)
        for table in tables.VIEWS:
            await _copy_out(connection, table, writer)
        await check_held(lock)
        return await writer.complete(origin, position.sequence)


def _due(position: Position, newest: Snapshot | None, events: int, growth: float) -> bool:
    if position.fold != FOLD:
        return False
    covered = newest.sequence if newest is not None and newest.origin.fold == FOLD else 0
    return position.sequence - covered >= max(events, 1, growth * position.sequence)


async def usable_until(log: Log) -> int:
    """Return the position of the newest snapshot that can be loaded into projections of this log; 0 for none."""
    snapshot = await SnapshotStore.of(log).newest()
    usable = snapshot is not None and snapshot.origin == SnapshotOrigin(log=await log.identity(), fold=FOLD)
    return snapshot.sequence if usable and snapshot is not None else 0


async def load_snapshot(fresh: Projection, log: Log) -> bool:
    """Fill empty projections from the newest snapshot. Return False, with empty projections, if none is usable.

    It must have been made by this version of the folds, from this log, and agree with the log's events.
    """
    store = SnapshotStore.of(log)
    snapshot = await store.newest()
    if snapshot is None or snapshot.origin != SnapshotOrigin(log=await log.identity(), fold=FOLD):
        return False
    try:
        async with fresh.database.begin() as connection:
            await _copy_in(connection, store.pieces(snapshot))
            reached = {"sequence": snapshot.sequence, "fold": FOLD, "log": snapshot.origin.log}
            await connection.execute(insert(tables.checkpoint).values(view=VIEW, **reached))
        await check_log_identity(fresh, log)
    except (BrokenSnapshotError, Unprojectable, DBAPIError, psycopg.Error, *READER_ERRORS) as error:
        logger.warning("the snapshot is not used", why=log_safe(error))
        await empty_projections(fresh.database)
        return False
    return True


async def drop_snapshots(database: Database, log: Log) -> None:
    """Delete all snapshots with their bytes. One that is being made is finished first, and then deleted too."""
    async with exclusive_maintenance(database):
        await SnapshotStore.of(log).drop()


async def empty_projections(database: Database) -> None:
    """Delete all rows of the projections and their position."""
    await database.empty(table.name for table in (*tables.VIEWS, tables.checkpoint))


@asynccontextmanager
async def _one_moment(database: Database) -> AsyncIterator[AsyncConnection]:
    """Open a connection whose statements all see the same state of the database."""
    async with database.begin() as connection:
        await connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"))
        yield connection


async def _copy_out(connection: AsyncConnection, table: Table, writer: SnapshotWriter) -> None:
    statement = f"COPY {table.name} ({_columns(table)}) TO STDOUT (FORMAT BINARY)"
    piece = bytearray()
    async with (await driver(connection)).cursor() as cursor, cursor.copy(statement) as rows:
        async for row in rows:
            piece += row
            while len(piece) >= PIECE_BYTES:
                await writer.add(table.name, bytes(piece[:PIECE_BYTES]))
                del piece[:PIECE_BYTES]
    await writer.add(table.name, bytes(piece))


async def _copy_in(connection: AsyncConnection, pieces: AsyncIterator[tuple[str, bytes]]) -> None:
    piece = await anext(pieces, None)
    while piece is not None:
        table = piece[0]
        if table not in metadata.tables:
            raise BrokenSnapshotError(f"the snapshot has a table {table!r}")
        columns = _columns(metadata.tables[table])
        statement = f"COPY {table} ({columns}) FROM STDIN (FORMAT BINARY)"
        async with (await driver(connection)).cursor() as cursor, cursor.copy(statement) as rows:
            while piece is not None and piece[0] == table:
                await rows.write(piece[1])
                piece = await anext(pieces, None)


def _columns(table: Table) -> str:
    return ", ".join(f'"{column.name}"' for column in table.columns)
