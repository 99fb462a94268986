"""Several queries on one snapshot of the projections."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_infra.projections.database import Database

T = TypeVar("T")


async def read_snapshot(views: Database, read: Callable[[AsyncConnection], Awaitable[T]]) -> T:
    """Call `read` in one transaction with one snapshot and return its result.

    If a rebuild exchanges the tables meanwhile, `read` is called again.
    """
    while True:
        async with views.begin() as connection:
            await connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
            here = await _tables(connection)
            found = await read(connection)
            if await _tables(connection) == here:
                return found


async def _tables(connection: AsyncConnection) -> int:
    """Return a number that changes when a rebuild exchanges the tables.

    A transaction that began before the exchange would find no rows in the new tables.
    """
    return int((await connection.execute(text("SELECT to_regclass('memory_state')::oid::bigint"))).scalar_one())
