"""Between records and rows: read by key, written as absolute state in one statement for each table."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, TypeVar

import orjson
from sqlalchemy import Column, Select, Table, select, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.elements import TextClause

from nemuri.domain.record import Record

R = TypeVar("R", bound=Record)


async def load(connection: AsyncConnection, table: Table, record: type[R], *where: Any) -> list[R]:
    """The records of the rows that meet every condition."""
    return await records(connection, record, selecting(table, record).where(*where))


def selecting(table: Table, record: type[Record]) -> Select[Any]:
    """The columns of a table that its record is made of."""
    return select(*(table.c[name] for name in record.model_fields))


async def records(connection: AsyncConnection, record: type[R], statement: Select[Any]) -> list[R]:
    """The records that a selection of their columns finds."""
    rows = await connection.execute(statement)
    return [record.model_validate(dict(row._mapping)) for row in rows]  # noqa: SLF001 - the documented mapping of a row


async def write(connection: AsyncConnection, table: Table, changed: Iterable[Record]) -> None:
    """Make the rows what the records say, whatever they were."""
    rows: Sequence[Any] = [record.row() for record in changed]
    if rows:
        await connection.execute(_upsert(table), {"rows": orjson.dumps(rows).decode()})


@cache
def _upsert(table: Table) -> TextClause:
    keys = [column.name for column in table.primary_key.columns]
    names = [column.name for column in table.columns]
    rest = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name not in keys)
    columns = ", ".join(f'"{name}"' for name in names)
    types = ", ".join(f'"{column.name}" {_type(column)}' for column in table.columns)
    identity = ", ".join(f'"{name}"' for name in keys)
    return text(
        f"INSERT INTO {table.name} ({columns}) "  # noqa: S608 - names of our own tables
        f"SELECT {columns} FROM json_to_recordset(CAST(:rows AS json)) AS fresh({types}) "
        f"ON CONFLICT ({identity}) DO UPDATE SET {rest}"
    )


def _type(column: Column[Any]) -> str:
    return column.type.compile(dialect=postgresql.dialect())  # type: ignore[no-untyped-call]
