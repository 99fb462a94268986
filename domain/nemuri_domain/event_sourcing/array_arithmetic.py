"""Arithmetic on numpy arrays, for formulas that are written once (see `numeric_backends`)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nemuri_domain.event_sourcing.numeric_backends import Arithmetic, FloatArithmetic


class ArrayArithmetic:
    """Arithmetic on numpy arrays, element by element. `coalesce` treats an array as one value: None means that all
    elements are missing.
    """

    exp = staticmethod(np.exp)
    power = staticmethod(np.power)
    minimum = staticmethod(np.minimum)
    maximum = staticmethod(np.maximum)
    where = staticmethod(np.where)
    coalesce = staticmethod(FloatArithmetic.coalesce)

    @staticmethod
    def item(values: Sequence[float], index: Any) -> Any:
        """Return the values at the indexes."""
        return np.asarray(values)[index]


ARRAYS: Arithmetic = ArrayArithmetic()
