"""The domain's arithmetic as SQL expressions, so that a query computes the same results as the domain."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, case, func
from sqlalchemy.dialects import postgresql

from nemuri_domain.event_sourcing.numeric_backends import Arithmetic

SMALLEST_EXPONENT = -700
"""Smallest exponent that is passed to PostgreSQL's `exp`, which fails if the result is too small for a double.

Python returns 0 for such a result. The difference is at most 1e-304.
"""


class SqlArithmetic:
    """The arithmetic operations of the domain, on SQL columns. Every method returns an SQL expression."""

    def exp(self, x: Any) -> ColumnElement[float]:
        """Return e to the power of `x`."""
        return func.exp(func.greatest(SMALLEST_EXPONENT, x))

    def power(self, base: Any, exponent: Any) -> ColumnElement[float]:
        """Return `base`, above 0, to the power of `exponent`."""
        return self.exp(func.ln(base) * exponent)

    def minimum(self, one: Any, other: Any) -> ColumnElement[Any]:
        """Return the smaller number."""
        return func.least(one, other)

    def maximum(self, one: Any, other: Any) -> ColumnElement[Any]:
        """Return the larger number."""
        return func.greatest(one, other)

    def where(self, condition: Any, then: Any, otherwise: Any) -> ColumnElement[Any]:
        """Return `then` if the condition holds, else `otherwise`."""
        return case((condition, then), else_=otherwise)

    def coalesce(self, value: Any, default: Any) -> ColumnElement[Any]:
        """Return the value, or the default if it is NULL."""
        return func.coalesce(value, default)

    def item(self, values: Sequence[float], index: Any) -> ColumnElement[float]:
        """Return the value of `values` at an index, from 0; NULL beyond the end."""
        return case(*((index == at, value) for at, value in enumerate(values)))


SQL: Arithmetic = SqlArithmetic()


def sql_text(expression: ColumnElement[Any]) -> str:
    """Return the expression as SQL text, for a query that is written as text."""
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    return str(expression.compile(dialect=dialect, compile_kwargs={"literal_binds": True}))
