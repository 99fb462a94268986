"""Tables of states. A state is spelled once, as a class of the domain: each of its fields is a column."""

import types
from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin
from uuid import UUID

from pgvector.sqlalchemy import VECTOR
from sqlalchemy import BigInteger, Boolean, Column, Date, DateTime, Double, Index, MetaData, Table, Text, Uuid
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

from nemuri_domain.event_sourcing.state import State

metadata = MetaData()
T = TypeVar("T")
OFTEN_CHANGED: Final = {"postgresql_with": {"fillfactor": "80"}}
"""Options of a table whose rows change often, so that a changed row fits beside its old version."""
MOMENT: Final = DateTime(timezone=True)
_TYPES: Final[dict[Any, TypeEngine[Any]]] = {
    str: Text(),
    int: BigInteger(),
    float: Double(),
    bool: Boolean(),
    UUID: Uuid(),
    date: Date(),
    datetime: MOMENT,
}
"""Column types by type of a field. Any other field is a JSON value."""


class Vector(VECTOR):
    """A vector type that SQLAlchemy does not convert. psycopg binds it as a binary array, twenty times faster than as
    text.
    """

    cache_ok = True

    def bind_processor(self, dialect: Any) -> None:
        """Return None, so that the driver converts the value."""

    def result_processor(self, dialect: Any, coltype: Any) -> None:
        """Return None, so that the driver converts the value."""


def state_table(
    name: str, state: type[State], *more: Index, key: str | Sequence[str], comment: str, **options: Any
) -> Table:
    """Return the table with one row for each state: a column for each field and for each computed field.

    `key` names the fields of the primary key. A field that may be None gives a column that may be NULL. `more` are
    indexes, and `options` those of `sqlalchemy.Table`.
    """
    keys = {key} if isinstance(key, str) else set(key)
    fields = {field: info.annotation for field, info in state.model_fields.items()}
    fields |= {field: info.return_type for field, info in state.model_computed_fields.items()}
    columns = [_column(field, annotation, primary_key=field in keys) for field, annotation in fields.items()]
    return Table(name, metadata, *columns, *more, comment=comment, **options)


def _column(name: str, annotation: Any, *, primary_key: bool) -> Column[Any]:
    kinds = _kinds(annotation)
    some = kinds - {types.NoneType}
    kind = _TYPES.get(next(iter(some)), JSONB(none_as_null=True)) if len(some) == 1 else JSONB(none_as_null=True)
    return Column(name, kind, primary_key=primary_key, nullable=types.NoneType in kinds)


def _kinds(annotation: Any) -> set[Any]:
    """Return the types of a field's values, without what only limits them."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kinds(arguments[0])
    if origin in {Union, types.UnionType}:
        return set().union(*map(_kinds, arguments))
    if origin is Literal:
        return {type(value) for value in arguments}
    return {annotation if origin is None else origin}
