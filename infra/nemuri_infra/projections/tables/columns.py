"""Column types of the tables."""

from typing import Any

from pgvector.sqlalchemy import VECTOR
from sqlalchemy import Column, DateTime, MetaData
from sqlalchemy.dialects.postgresql import JSONB

metadata = MetaData()


class Vector(VECTOR):
    """A vector type that SQLAlchemy does not convert. psycopg binds it as a binary array, twenty times faster than as
    text.
    """

    cache_ok = True

    def bind_processor(self, dialect: Any) -> None:
        """Return None, so that the driver converts the value."""

    def result_processor(self, dialect: Any, coltype: Any) -> None:
        """Return None, so that the driver converts the value."""


def time(name: str, *, nullable: bool = False) -> Column[Any]:
    """Return a column of timestamps."""
    return Column(name, DateTime(timezone=True), nullable=nullable)


def json(name: str, *, nullable: bool = False) -> Column[Any]:
    """Return a column of JSON values."""
    return Column(name, JSONB(none_as_null=True), nullable=nullable)
