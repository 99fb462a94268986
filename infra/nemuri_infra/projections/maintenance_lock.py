"""The locks of work on a whole deployment that must not run at the same time.

One is for rebuilds, snapshots and physical erasures, the other for archiving the log and erasing from it.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_infra.projections.database import Database

_PATIENT = (
    text("SET LOCAL idle_in_transaction_session_timeout = 0"),
    text(
        """
        -- Servers before PostgreSQL 17 do not have this setting.
        SELECT set_config('transaction_timeout', '0', true)
        WHERE current_setting('transaction_timeout', true) IS NOT NULL
        """
    ),
)
"""Statements after which the server does not end the transaction because of its duration."""


@asynccontextmanager
async def exclusive_maintenance(database: Database) -> AsyncIterator[AsyncConnection]:
    """Wait for other rebuilds, snapshots and physical erasures, and lock them out during the context.

    A rebuild or a snapshot may write data that is erased meanwhile. So a physical erasure waits and removes that data
    afterwards. Yields the connection that holds the lock, on which `check_held` fails if the lock was lost.

    The lock is described at `_locked`.
    """
    async with _locked(database, "one at a time") as connection:
        yield connection


@asynccontextmanager
async def exclusive_archiving(database: Database) -> AsyncIterator[AsyncConnection]:
    """Wait for others that archive the log or erase from it, and lock them out during the context.

    Archiving copies messages, so a message must not be erased between its copy and its announcement. Yields the
    connection that holds the lock. `exclusive_maintenance` may be entered inside, never the other way round.
    """
    async with _locked(database, "archiving") as connection:
        yield connection


@asynccontextmanager
async def _locked(database: Database, work: str) -> AsyncIterator[AsyncConnection]:
    """Hold the lock of a kind of work during the context, and yield the connection that holds it.

    The lock belongs to a transaction, because a pooler gives the session to others between transactions. A transaction
    that waits for its next statement sees no rows, so it keeps no deleted row from being removed. Only a statement with
    parameters would stay open until the next one, so this lock has none. Its connection is not one of the pool, whose
    size may be one.
    """
    name = f"{database.schema}~next, {work}".replace("'", "''")
    own = Database.at(database.url, database.schema, connections=1)
    try:
        async with own.begin() as connection:
            for statement in (*_PATIENT, text(f"SELECT pg_advisory_xact_lock(hashtextextended('{name}', 0))")):
                await connection.execute(statement)
            yield connection
    finally:
        await own.close()


async def check_held(lock: AsyncConnection) -> None:
    """Raise `DBAPIError` if the transaction that holds the lock has ended, so that others may have it."""
    await lock.execute(text("SELECT 1"))
