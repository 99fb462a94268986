"""Connections to the database: to a session of PostgreSQL itself, or through a pooler such as PgBouncer.

A pooler may give each transaction another session, and each session to other clients in between. So nothing that
belongs to a session is used through it: settings hold for one transaction, and no statement is prepared. A session of
our own has the settings from its start, which saves round trips.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

import orjson
import psycopg
from pgvector.psycopg.vector import register_vector_info
from psycopg.types import TypeInfo
from psycopg.types.array import ListBinaryDumper
from sqlalchemy import event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

REQUIRED_ENCODING = "UTF8"
"""Required encoding of the database, because it stores texts of any language."""
IDLE_SECONDS = 1.0
"""Seconds without use after which a pooled connection is checked before it is used again."""
SHARED = "shared"
"""Key in the `info` of a connection: whether its session may change between transactions."""
PATH = "path"
"""Key in the `info` of a connection: the value of PostgreSQL's `search_path` for it."""
_START = """
    -- A session is our own if it has the process id that the server told at the start of the connection. A pooler tells
    -- another one. Into a session of a pooler nothing is written, because it would reach other clients.
    SELECT pg_backend_pid() = %(pid)s, oid, typarray, path,
        CASE WHEN pg_backend_pid() = %(pid)s THEN set_config('search_path', path, false) END,
        CASE WHEN pg_backend_pid() = %(pid)s AND %(hasty)s THEN set_config('synchronous_commit', 'off', false) END
    FROM (
        -- Managed servers have their extensions in a schema of their own, such as `extensions`.
        SELECT type.oid, type.typarray,
            concat_ws(', ', %(schema)s::text, 'public', extension.extnamespace::regnamespace) AS path
        FROM (SELECT) AS one LEFT JOIN pg_catalog.pg_extension AS extension ON extension.extname = 'vector'
        LEFT JOIN pg_catalog.pg_type AS type
            ON type.typname = 'vector' AND type.typnamespace = extension.extnamespace
    ) AS here
"""


class VectorList(list[Any]):
    """A list of vectors that the driver sends in binary. Other lists it sends as text, which takes longer than all else
    that a rebuild does with a vector.
    """


@dataclass(frozen=True, slots=True)
class Sessions:
    """The settings of all sessions in which a schema is used."""

    schema: str
    """Schema to which unqualified names of tables refer."""
    durable: bool
    """False if commits do not wait for the disk."""

    def engine(self, url: str, connections: int) -> AsyncEngine:
        """Return an engine with at most this number of connections, which it opens when they are needed.

        Each of its statements is committed at once. An `options` in the URL is passed to the server.
        """
        engine = create_async_engine(
            make_url(url).set(drivername="postgresql+psycopg"),
            connect_args={
                "connect_timeout": 5,
                "client_encoding": REQUIRED_ENCODING,  # otherwise the driver returns bytes if the database has none
            },
            json_deserializer=orjson.loads,
            hide_parameters=True,
            pool_size=connections,  # all are kept, because connecting takes the server longer than most statements
            max_overflow=0,
            pool_use_lifo=True,
            pool_timeout=10,
            isolation_level="AUTOCOMMIT",  # of most connections, because most only read
            skip_autocommit_rollback=True,  # there is nothing to roll back
            pool_reset_on_return=None,  # a transaction ends with its context
        )
        _check_idle_connections(engine)

        @event.listens_for(engine.sync_engine, "connect")
        def start(connection: Any, record: Any) -> None:
            record.info[SHARED], record.info[PATH] = connection.run_async(self._start)

        return engine

    @asynccontextmanager
    async def configured(self, connection: AsyncConnection) -> AsyncIterator[AsyncConnection]:
        """Yield a connection whose settings hold during the context. On a shared session this is a transaction."""
        if not is_shared(connection):
            yield connection
            return
        await connection.execution_options(isolation_level="READ COMMITTED")
        async with connection.begin():
            await self.configure(connection)
            yield connection

    async def configure(self, connection: AsyncConnection) -> None:
        """Set the settings for the transaction of a connection. Does nothing if its session has them anyway."""
        if is_shared(connection) and connection.sync_connection is not None:
            await connection.execute(text(f"SET LOCAL search_path = {connection.sync_connection.info[PATH]}"))
            if not self.durable:
                await connection.execute(text("SET LOCAL synchronous_commit = off"))

    async def _start(self, connection: psycopg.AsyncConnection[Any]) -> tuple[bool, str]:
        """Set up a new connection, and return whether its session is shared, and its `search_path`.

        The type `vector` is registered if the database has it. pgvector's other types are not used.
        """
        known = {"pid": connection.info.backend_pid, "schema": f'"{self.schema}"', "hasty": not self.durable}
        found = await (await connection.execute(_START, known, prepare=False)).fetchone()
        if found is None:
            raise psycopg.OperationalError("the server returns no row for a query that has one")
        own, vector, vectors, path, *_ = found
        if vector is not None:
            register_vector_info(connection, TypeInfo("vector", vector, vectors))
            connection.adapters.register_dumper(VectorList, ListBinaryDumper)
        if not own:
            connection.prepare_threshold = None
        return not own, path


def is_shared(connection: AsyncConnection) -> bool:
    """Return whether the session of a connection may be another one in the next transaction."""
    return bool(connection.sync_connection and connection.sync_connection.info[SHARED])


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
