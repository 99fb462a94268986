"""The database of the projections: one PostgreSQL schema for each namespace."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self, TypeVar, cast

import psycopg
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NotSupportedError, ProgrammingError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from nemuri_infra.errors.database_errors import reason
from nemuri_infra.projections.database_connections import REQUIRED_ENCODING, Sessions

DEFAULT_CONNECTIONS = 4
"""Default maximum number of connections. Half of the maximum stay open while they are unused."""
PROVISION_ADVICE = "start `nemuri up`, or run `python -m nemuri.cli.provision` as the provisioner"
"""Advice on how to create the projections."""
_CREATE_ALONE = text("""
    -- Waits until no other process creates projections, and returns the encoding of the database.
    SELECT current_setting('server_encoding') FROM pg_advisory_xact_lock(hashtext('nemuri-create'))
""")
_EXTENSION = text("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
_CREATED = text("SELECT to_regclass('checkpoint')")
T = TypeVar("T")


class DatabaseError(Exception):
    """The database cannot be used. The message is one line and does not contain the password."""


def check_database_url(url: str) -> None:
    """Raise `DatabaseError` if the URL is not an address of a PostgreSQL server."""
    try:
        backend = make_url(url).get_backend_name()
    except (ArgumentError, ValueError) as error:
        raise DatabaseError("DATABASE_URL is invalid; write postgresql://USER:PASSWORD@HOST:PORT/NAME") from error
    if backend not in {"postgresql", "postgres"}:
        raise DatabaseError(f"DATABASE_URL names {backend}, but the projections need PostgreSQL")


@dataclass(frozen=True, slots=True)
class Database:
    """The database that holds the projections of one namespace. Unqualified table names refer to the namespace's
    schema.

    Its server may be a pooler that gives each transaction another session. Nothing here needs a session of its own.
    """

    engine: AsyncEngine
    """The engine. Each of its statements is committed at once."""
    transactions: AsyncEngine
    """An engine that uses the same connections for transactions."""
    sessions: Sessions
    url: str

    @classmethod
    def at(cls, url: str, schema: str, *, durable: bool = True, connections: int = DEFAULT_CONNECTIONS) -> Self:
        """Return the database of the schema at this URL.

        It connects on first use, with at most `connections` connections. If `durable` is false, commits do not wait for
        the disk: they are safe only when a later durable commit is.
        """
        sessions = Sessions(schema, durable)
        engine = sessions.engine(url, connections)
        return cls(engine, engine.execution_options(isolation_level="READ COMMITTED"), sessions, url)

    @property
    def schema(self) -> str:
        """Return the name of the schema."""
        return self.sessions.schema

    async def close(self) -> None:
        """Close all connections."""
        await self.engine.dispose()

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction. It is committed at the end of the context, and rolled back on an error."""
        async with self.transactions.begin() as connection:
            await self.sessions.configure(connection)
            yield connection

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Open a connection for reading.

        Each statement sees what was committed before it began. It needs one round trip, if the session is our own; in
        a shared one the context is a transaction, which costs three more.
        """
        async with self.engine.connect() as connection, self.sessions.configured(connection) as configured:
            yield configured

    @asynccontextmanager
    async def without_transaction(self) -> AsyncIterator[AsyncConnection]:
        """Open a connection for statements that no transaction may contain. Each is committed at once.

        Names of tables must be qualified, because settings do not hold.
        """
        async with self.engine.connect() as connection:
            yield connection

    async def stored_bytes(self) -> int:
        """Return the bytes of the schema's tables and indexes on disk, as the server reports them."""
        query = text(
            "SELECT COALESCE(sum(pg_total_relation_size(oid)), 0) FROM pg_class"
            " WHERE relnamespace = CAST(:schema AS regnamespace) AND relkind IN ('r', 'm')"
        )
        async with self.reading() as connection:
            return int((await connection.execute(query, {"schema": f'"{self.schema}"'})).scalar_one())

    async def empty(self, names: Iterable[str]) -> None:
        """Delete all rows of these tables."""
        async with self.begin() as connection:
            await connection.execute(text(f"TRUNCATE {', '.join(names)}"))

    async def check_usable(self) -> None:
        """Raise `DatabaseError` if `create` would, and create nothing."""
        async with self._alone() as alone, alone.begin() as connection:
            _check_encoding((await connection.execute(text("SHOW server_encoding"))).scalar_one())

    async def create(self) -> None:
        """Create the schema and its tables, unless they exist.

        Waits while another process does so. Raises `DatabaseError` if the database does not answer, has no transactions
        or is not encoded in UTF-8.
        """
        from nemuri_infra.projections.schema import creation  # a process that only reads does not need the statements

        async with self._alone() as alone, alone.begin() as connection:
            _check_encoding((await connection.execute(_CREATE_ALONE)).scalar_one())
            if (await connection.execute(_EXTENSION)).scalar_one_or_none() is None:
                await _create_extension(connection)
            await connection.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{self.schema}"'))
            if (await connection.execute(_CREATED)).scalar_one() is None:
                await connection.exec_driver_sql(creation())

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[Self]:
        """Yield this database with one connection of its own, which does not know the types that are made only now.

        Raises `DatabaseError` for errors of the database in the context.
        """
        alone = type(self).at(self.url, self.schema, connections=1)
        try:
            yield alone
        except (DBAPIError, OSError) as error:
            raise DatabaseError(f"the database cannot be used: {reason(error)}") from error
        finally:
            await alone.close()

    async def check(self) -> None:
        """Raise `DatabaseError` unless the tables exist."""
        try:
            async with self.reading() as connection:
                there = (await connection.execute(_CREATED)).scalar_one() is not None
        except (DBAPIError, OSError) as error:
            raise DatabaseError(f"the database cannot be used: {reason(error)}") from error
        if not there:
            raise DatabaseError(f"there are no projections of {self.schema!r} yet; {PROVISION_ADVICE}")


async def _create_extension(connection: AsyncConnection) -> None:
    """Create pgvector. Raises `DatabaseError` if the role may not, or the server does not have it."""
    try:
        await connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public"))
    except ProgrammingError as error:
        advice = "let a role that may run `CREATE EXTENSION vector` in this database"
        raise DatabaseError(f"the database has no pgvector: {reason(error)}; {advice}") from error
    except NotSupportedError as error:
        raise DatabaseError(f"the server has no pgvector: {reason(error)}; install it there") from error


def _check_encoding(encoding: str) -> None:
    if encoding != REQUIRED_ENCODING:
        made = f"CREATE DATABASE … ENCODING '{REQUIRED_ENCODING}' TEMPLATE template0"
        raise DatabaseError(
            f"the database has the encoding {encoding}, not {REQUIRED_ENCODING}; create one with `{made}`"
        )


async def driver(connection: AsyncConnection) -> psycopg.AsyncConnection[Any]:
    """Return the connection of psycopg. For frequent statements: SQLAlchemy takes longer for one than PostgreSQL."""
    found = (await connection.get_raw_connection()).driver_connection
    return cast("psycopg.AsyncConnection[Any]", found)


async def binary_rows(connection: AsyncConnection, query: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a query whose values the server sends in binary.

    For many rows and for large values this is several times as fast as `execute`. `values` are named as psycopg does.
    """
    async with (await driver(connection)).cursor(binary=True) as cursor:
        await cursor.execute(query, values)
        rows: list[tuple[Any, ...]] = await cursor.fetchall()
        return rows


async def read_snapshot(views: Database, read: Callable[[AsyncConnection], Awaitable[T]]) -> T:
    """Call `read` in one transaction that sees one snapshot, and return its result.

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

    A transaction whose snapshot is older than the exchange would find no rows in the new tables.
    """
    return int((await connection.execute(text("SELECT to_regclass('memory_state')::oid::bigint"))).scalar_one())
