"""The database of the projections: one PostgreSQL schema for each namespace."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Self, TypeVar

import orjson
import psycopg
from pgvector.psycopg.vector import register_vector_info
from psycopg.types import TypeInfo
from sqlalchemy import Connection, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from nemuri_infra.errors.database_errors import reason

MIGRATIONS = Path(__file__).parent / "migrations"
REQUIRED_ENCODING = "UTF8"
"""Required encoding of the database, because it stores texts of any language."""
DEFAULT_CONNECTIONS = 4
"""Default maximum number of connections. Half of the maximum stay open while they are unused."""
IDLE_SECONDS = 1.0
"""Seconds without use after which a pooled connection is checked before it is used again."""
PROVISION_ADVICE = "start `nemuri up`, or run `python -m nemuri.cli.provision` as the provisioner"
"""Advice on how to create or migrate the projections."""
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
    """

    engine: AsyncEngine
    """The engine. Each of its statements is committed at once."""
    transactions: AsyncEngine
    """An engine that uses the same connections for transactions."""
    url: str
    schema: str
    before_reading: Callable[[], Awaitable[None]] | None = None
    """Function that is awaited before each read; None for none."""

    @classmethod
    def at(cls, url: str, schema: str, *, durable: bool = True, connections: int = DEFAULT_CONNECTIONS) -> Self:
        """Return the database of the schema at this URL.

        It connects on first use, with at most `connections` connections. If `durable` is false, commits do not wait for
        the disk: they are safe only when a later durable commit is.
        """
        options = "" if durable else " -csynchronous_commit=off"
        engine = _engine(
            url,
            schema,
            options,
            pool_size=connections,  # all are kept, because connecting takes the server longer than most statements
            max_overflow=0,
            pool_use_lifo=True,
            pool_timeout=10,
            isolation_level="AUTOCOMMIT",  # of most connections, because most only read
            pool_reset_on_return=None,  # a transaction ends with its context
        )
        _check_idle_connections(engine)

        @event.listens_for(engine.sync_engine, "connect")
        def register(connection: Any, _record: Any) -> None:
            connection.run_async(_register_vector)

        return cls(engine, engine.execution_options(isolation_level="READ COMMITTED"), url, schema)

    async def close(self) -> None:
        """Close all connections."""
        await self.engine.dispose()

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction. It is committed at the end of the context, and rolled back on an error."""
        async with self.transactions.begin() as connection:
            yield connection

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Open a connection for reading, without a transaction.

        Each statement sees what was committed before it began, and needs one round trip.
        """
        if self.before_reading is not None:
            await self.before_reading()
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

    async def check_encoding(self) -> None:
        """Raise `DatabaseError` if the database does not answer or is not encoded in UTF-8."""
        engine = _engine(self.url, self.schema, pool_size=1)
        try:
            async with engine.connect() as connection:
                encoding = (await connection.execute(text("SHOW server_encoding"))).scalar_one()
        except (DBAPIError, OSError) as error:
            raise DatabaseError(f"the database cannot be used: {reason(error)}") from error
        finally:
            await engine.dispose()
        if encoding != REQUIRED_ENCODING:
            made = f"CREATE DATABASE … ENCODING '{REQUIRED_ENCODING}' TEMPLATE template0"
            raise DatabaseError(
                f"the database has the encoding {encoding}, not {REQUIRED_ENCODING}; create one with `{made}`"
            )

    async def migrate(self) -> None:
        """Create the schema, or migrate it to the newest version.

        Waits while another process migrates. Raises `DatabaseError` if the database cannot be used.
        """
        engine = _engine(self.url, self.schema, pool_size=1)
        try:
            async with engine.begin() as connection:
                await connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('nemuri-migrate'))"))
                await connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public"))
                await connection.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{self.schema}"'))
                await connection.run_sync(self._upgrade)
        except (DBAPIError, OSError) as error:
            raise DatabaseError(f"the database cannot be used: {reason(error)}") from error
        finally:
            await engine.dispose()

    async def check(self) -> None:
        """Raise `DatabaseError` unless the schema exists in its newest version."""
        known = migration_versions()
        newest, version = known[-1], await self._version()
        if version is None:
            raise DatabaseError(f"there are no projections of {self.schema!r} yet; {PROVISION_ADVICE}")
        if version != newest:
            said = f"the projections have version {version}, but this nemuri needs {newest}"
            raise DatabaseError(
                f"{said}; {PROVISION_ADVICE if version in known else 'use the newer nemuri that created them'}"
            )

    async def _version(self) -> str | None:
        """Return the version of the schema; None if the schema does not exist. Raises `DatabaseError` without an
        answer.
        """
        try:
            async with self.reading() as connection:
                there = text("SELECT to_regclass('schema_version')")
                if (await connection.execute(there)).scalar_one() is None:
                    return None
                found = await connection.execute(text("SELECT version_num FROM schema_version"))
                return found.scalar_one_or_none()
        except (DBAPIError, OSError) as error:
            raise DatabaseError(f"the database cannot be used: {reason(error)}") from error

    def _upgrade(self, connection: Connection) -> None:
        from alembic import command
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        config.attributes["connection"] = connection
        config.attributes["schema"] = self.schema
        command.upgrade(config, "head")


async def binary_rows(connection: AsyncConnection, query: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a query whose values the server sends in binary.

    For many rows and for large values this is several times as fast as `execute`. `values` are named as psycopg does.
    """
    driver: Any = (await connection.get_raw_connection()).driver_connection
    async with driver.cursor(binary=True) as cursor:
        await cursor.execute(query, values)
        rows: list[tuple[Any, ...]] = await cursor.fetchall()
        return rows


def migration_versions() -> list[str]:
    """Return the versions of the schema in ascending order, from the names of the migrations' files.

    Alembic would read the files, but a worker that only checks the version does not load it.
    """
    return sorted(path.stem.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*_*.py"))


async def read_snapshot(views: Database, read: Callable[[AsyncConnection], Awaitable[T]]) -> T:
    """Call `read` in one transaction that sees one snapshot, and return its result.

    If a rebuild exchanges the tables meanwhile, `read` is called again.
    """
    if views.before_reading is not None:
        await views.before_reading()
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


def _engine(url: str, schema: str, settings: str = "", **options: Any) -> AsyncEngine:
    address = make_url(url).set(drivername="postgresql+psycopg")
    return create_async_engine(
        address,
        connect_args={
            "options": f'-csearch_path="{schema}",public{settings}',
            "connect_timeout": 5,
            "client_encoding": REQUIRED_ENCODING,  # otherwise the driver returns bytes if the database has no encoding
        },
        json_deserializer=orjson.loads,
        hide_parameters=True,
        **options,
    )


def _check_idle_connections(engine: AsyncEngine) -> None:
    """Make the pool check a connection before use if it was idle for at least `IDLE_SECONDS`.

    If the check fails, all connections of the pool are replaced. A connection that breaks while it is used often is not
    noticed: one statement fails, which counts as an outage and delays the event.
    """
    pool, dialect = engine.sync_engine, engine.dialect

    @event.listens_for(pool, "checkin")
    def note(_connection: Any, record: Any) -> None:
        record.info["used"] = monotonic()

    @event.listens_for(pool, "checkout")
    def check(connection: Any, record: Any, _proxy: Any) -> None:
        if monotonic() - record.info.get("used", monotonic()) < IDLE_SECONDS:
            return
        try:
            dialect.do_ping(connection)
        except dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError from error


async def _register_vector(connection: psycopg.AsyncConnection[Any]) -> None:
    """Register the type `vector` on a connection. pgvector's other types are not used, and each would cost a query."""
    register_vector_info(connection, await TypeInfo.fetch(connection, "vector"))
