"""Arithmetic for formulas that are written once and evaluated for one memory, for arrays of memories and in SQL.

A formula uses Python's operators, which work on floats, numpy arrays and SQL columns, and takes all other functions
from an `Arithmetic`. `array_arithmetic` has the implementation for arrays, which only processes with numpy import, and
`nemuri_infra.projections.sql_arithmetic` the one that builds SQL.
"""

import math
from collections.abc import Sequence
from typing import Any, Protocol


class Arithmetic(Protocol):
    """Functions that a formula may use. Numbers and conditions have the types of the implementation: floats, arrays or
    SQL.
    """

    def exp(self, x: Any) -> Any:
        """Return e to the power of `x`."""

    def power(self, base: Any, exponent: Any) -> Any:
        """Return `base`, above 0, to the power of `exponent`."""

    def minimum(self, one: Any, other: Any) -> Any:
        """Return the smaller number."""

    def maximum(self, one: Any, other: Any) -> Any:
        """Return the larger number."""

    def where(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """Return `then` if the condition holds, else `otherwise`. Both are evaluated."""

    def coalesce(self, value: Any, default: Any) -> Any:
        """Return the value, or the default if there is none."""

    def item(self, values: Sequence[float], index: Any) -> Any:
        """Return the value at an index, 0 to the number of values - 1."""


class FloatArithmetic:
    """Arithmetic on floats."""

    exp = staticmethod(math.exp)
    power = staticmethod(math.pow)
    minimum = staticmethod(min)
    maximum = staticmethod(max)

    @staticmethod
    def where(condition: bool, then: Any, otherwise: Any) -> Any:  # noqa: FBT001 - the condition of a rule
        """Return `then` if the condition holds, else `otherwise`."""
        return then if condition else otherwise

    @staticmethod
    def coalesce(value: Any, default: Any) -> Any:
        """Return the value, or the default if it is None."""
        return default if value is None else value

    @staticmethod
    def item(values: Sequence[float], index: int) -> float:
        """Return the value at an index."""
        return values[index]


FLOATS: Arithmetic = FloatArithmetic()
