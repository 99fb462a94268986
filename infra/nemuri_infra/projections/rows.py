"""Reading and writing of states. Each write stores whole rows, with one statement per table."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

import orjson
from psycopg.types.json import set_json_dumps
from pydantic_core import to_json
from sqlalchemy import Column, Select, Table, bindparam, delete, select, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.elements import TextClause

from nemuri_domain.event_sourcing.state import State

R = TypeVar("R", bound=State)


async def load(connection: AsyncConnection, table: Table, record: type[R], *where: Any) -> list[R]:
    """Return the states of the table's rows that meet all conditions in `where`."""
    return await records(connection, record, selecting(table, record).where(*where))


def selecting(table: Table, record: type[State]) -> Select[Any]:
    """Return a SELECT of the columns that are fields of the state."""
    return select(*(table.c[name] for name in record.model_fields))


async def records(connection: AsyncConnection, record: type[R], statement: Select[Any]) -> list[R]:
    """Return the states of the rows that a SELECT returns."""
    rows = await connection.execute(statement)
    return [record.model_validate(dict(row._mapping)) for row in rows]  # noqa: SLF001 - the documented mapping of a row


async def load_keyed(
    connection: AsyncConnection, table: Table, record: type[R], column: str, values: Iterable[Any]
) -> list[R]:
    """Return the states of the rows with one of these values in a column.

    It is several times as fast as `load`, because the driver gets one value for each row.
    """
    rows = await connection.execute(_select_keyed(table, record, column), {"values": list(values)})
    return [record.model_validate(each) for each in rows.scalars()]


@cache
def _select_keyed(table: Table, record: type[State], column: str) -> TextClause:
    kind = _type(table.columns[column])
    return text(
        f"SELECT to_json(found) FROM {selection(table, record)} AS found "  # noqa: S608 - names of our own tables
        f"WHERE found.{column} = ANY(CAST(:values AS {kind}[]))"
    )


def selection(table: Table, record: type[State]) -> str:
    """Return a SQL subquery of all rows of a table, with the columns that the state has."""
    names = ", ".join(f'"{name}"' for name in record.model_fields)
    return f"(SELECT {names} FROM {table.name})"  # noqa: S608 - names of our own tables


async def write(connection: AsyncConnection, table: Table, changed: Iterable[State]) -> None:
    """Insert the rows, or update the rows that exist already."""
    rows: Sequence[Any] = [record.model_dump(mode="json") for record in changed]
    if rows:
        await connection.execute(_upsert(table), {"rows": orjson.dumps(rows).decode()})


async def remove(connection: AsyncConnection, table: Table, gone: Iterable[State]) -> None:
    """Delete the rows with the keys of these states."""
    keys = table.primary_key.columns
    rows = [{f"key_{key.name}": getattr(record, key.name) for key in keys} for record in gone]
    if rows:
        await connection.execute(delete(table).where(*(key == bindparam(f"key_{key.name}") for key in keys)), rows)


async def insert_new(
    connection: AsyncConnection, table: Table, rows: Sequence[Mapping[str, Any]], returned: Column[Any]
) -> Sequence[Any]:
    """Insert the rows whose key does not exist yet, and return the inserted rows' values in the column `returned`."""
    if not rows:
        return ()
    statement = text(f"{insertion(table, _PARAMETER)} ON CONFLICT DO NOTHING RETURNING {returned.name}")
    return (await connection.execute(statement, {"rows": orjson.dumps(rows).decode()})).scalars().all()


async def copy(connection: AsyncConnection, table: Table, fresh: Collection[State]) -> None:
    """Insert states with COPY. Their keys must be new. Raises psycopg's `UniqueViolation` if a key exists."""
    if fresh:
        await copy_values(connection, table, map(attrgetter(*table.columns.keys()), fresh))


async def copy_values(connection: AsyncConnection, table: Table, rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows, given as values in the order of the columns, with a binary COPY.

    This format is the fastest for the program and for the database.
    """
    driver: Any = (await connection.get_raw_connection()).driver_connection
    columns = ", ".join(f'"{column.name}"' for column in table.columns)
    async with driver.cursor() as cursor:
        set_json_dumps(to_json, cursor)
        async with cursor.copy(f"COPY {table.name} ({columns}) FROM STDIN (FORMAT BINARY)") as stream:
            stream.set_types([_type(column).lower() for column in table.columns])
            # Row by row, so that the database reads the first rows while the last are encoded.
            for row in rows:
                await stream.write_row(row)


_PARAMETER = "json_to_recordset(CAST(:rows AS json))"


@cache
def _upsert(table: Table) -> TextClause:
    return text(upsertion(table, _PARAMETER))


def upsertion(table: Table, source: str) -> str:
    """Return the SQL statement that inserts the rows of a source, or updates them if they exist.

    `source` is a call of `json_to_recordset` or `jsonb_to_recordset`.
    """
    keys = [column.name for column in table.primary_key.columns]
    rest = ", ".join(
        f'"{column.name}" = excluded."{column.name}"' for column in table.columns if column.name not in keys
    )
    identity = ", ".join(f'"{name}"' for name in keys)
    return f"{insertion(table, source)} ON CONFLICT ({identity}) DO UPDATE SET {rest}"


@cache
def insertion(table: Table, source: str) -> str:
    """Return the SQL statement that inserts the rows of a source, as for `upsertion`."""
    columns = ", ".join(f'"{column.name}"' for column in table.columns)
    types = ", ".join(f'"{column.name}" {_type(column)}' for column in table.columns)
    return (
        f"INSERT INTO {table.name} ({columns}) "  # noqa: S608 - names of our own tables
        f"SELECT {columns} FROM {source} AS fresh({types})"
    )


@cache
def _type(column: Column[Any]) -> str:
    return column.type.compile(dialect=postgresql.dialect())  # type: ignore[no-untyped-call]
