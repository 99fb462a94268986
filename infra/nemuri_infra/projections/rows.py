"""Reading of states, and the SQL that writes whole rows of states, one statement per table."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

import orjson
from sqlalchemy import Column, Select, Table, select, text
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
    return [record.model_validate(scalar) for scalar in rows.scalars()]


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


async def insert_new(
    connection: AsyncConnection, table: Table, rows: Sequence[Mapping[str, Any]], returned: Column[Any]
) -> Sequence[Any]:
    """Insert the rows whose key does not exist yet, and return the inserted rows' values in the column `returned`."""
    if not rows:
        return ()
    statement = text(f"{insertion(table, _PARAMETER)} ON CONFLICT DO NOTHING RETURNING {returned.name}")
    return (await connection.execute(statement, {"rows": orjson.dumps(rows).decode()})).scalars().all()


_PARAMETER = "json_to_recordset(CAST(:rows AS json))"


def upsertion(table: Table, source: str) -> str:
    """Return the SQL statement that inserts the rows of a source, or updates them if they exist.

    `source` is a call of `json_to_recordset`.
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


def key_of(table: Table, state: State) -> dict[str, Any]:
    """Return the values of a state in the key columns of its table, by name."""
    return {key.name: getattr(state, key.name) for key in table.primary_key.columns}


def key_source(source: str, *keys: Column[Any]) -> str:
    """Return a SQL query of the keys in a SQL expression of type `json`, an array of objects; no keys for NULL."""
    names, types = ", ".join(key.name for key in keys), ", ".join(f"{key.name} {_type(key)}" for key in keys)
    return f"SELECT {names} FROM json_to_recordset({source}) AS keys({types})"  # noqa: S608 - names of our own columns


@cache
def _type(column: Column[Any]) -> str:
    return column.type.compile(dialect=postgresql.dialect())  # type: ignore[no-untyped-call]
