"""What tables are made of."""

from typing import Any

from pgvector.sqlalchemy import VECTOR
from sqlalchemy import Column, DateTime, MetaData
from sqlalchemy.dialects.postgresql import JSONB

metadata = MetaData()


class Vector(VECTOR):
    """A vector that psycopg binds in binary, as an array: twenty times faster than as text."""

    cache_ok = True

    def bind_processor(self, dialect: Any) -> None:
        """Leave it to the driver."""

    def result_processor(self, dialect: Any, coltype: Any) -> None:
        """Leave it to the driver."""


def time(name: str, *, nullable: bool = False) -> Column[Any]:
    """A column of moments."""
    return Column(name, DateTime(timezone=True), nullable=nullable)


def json(name: str, *, nullable: bool = False) -> Column[Any]:
    """A column of JSON values."""
    return Column(name, JSONB(none_as_null=True), nullable=nullable)
