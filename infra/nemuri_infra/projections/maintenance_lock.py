"""The lock of rebuilds, snapshots and physical erasures, which must not run at the same time."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_infra.projections.database import Database


@asynccontextmanager
async def exclusive_maintenance(database: Database) -> AsyncIterator[AsyncConnection]:
    """Wait for other rebuilds, snapshots and physical erasures, and lock them out during the context.

    A rebuild or a snapshot may write data that is erased meanwhile. So a physical erasure waits and removes that data
    afterwards. The lock belongs to the session of the yielded connection and not to a transaction, because an open
    transaction would keep deleted rows from being removed.
    """
    key = func.hashtextextended(f"{database.schema}~next, one at a time", 0)
    async with database.reading() as connection:
        await connection.execute(select(func.pg_advisory_lock(key)))
        try:
            yield connection
        finally:
            try:
                await connection.execute(select(func.pg_advisory_unlock(key)))
            except BaseException:
                await connection.invalidate()  # the server releases the lock with the session
                raise
