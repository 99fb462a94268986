"""Several queries on one snapshot of the projections."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_infra.projections.database import Database

T = TypeVar("T")


async def read_snapshot(views: Database, read: Callable[[AsyncConnection], Awaitable[T]]) -> T:
    """Return what `read` reads in one transaction with one snapshot. Repeat it if a rebuild exchanged the tables
    meanwhile.
    """
    while True:
        async with views.begin() as connection:
            await connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
            here = await _tables(connection)
            found = await read(connection)
            if await _tables(connection) == here:
                return found


async def _tables(connection: AsyncConnection) -> int:
    """Return the identity of the tables. A rebuild may exchange them during a transaction, which sees none of the new
    rows.
    """
    return int((await connection.execute(text("SELECT to_regclass('memory_state')::oid::bigint"))).scalar_one())
