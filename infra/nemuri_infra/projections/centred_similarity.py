"""Cosines of centred vectors in SQL. The tables hold the rows of the model, so the centre is taken out of the products.

For a row v of length 1, the centre c and a centred query q of length 1, the cosine of v − c and q is
(v·q − c·q) / √(1 + c·c − 2 v·c). So each row costs a second inner product, and nothing has to be stored again when the
calibration changes. A row of zeros, which is a text without content, has the cosine 0.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Centre = NDArray[np.float32] | None
"""What is subtracted from each row, shape (dimension,); None for nothing."""


def similarity_sql(vector: str, centre: Centre, weights: Sequence[float], name: str = "") -> str:
    """Return the SQL expression of the cosine of a column of vectors with the nearest of several queries.

    Each cosine counts with the weight of its query. The parameters are those of `similarity_values` with the same
    `name`, which tells several expressions of one statement apart.
    """
    products = [f"({vector} <#> CAST(:asked{name}{at} AS vector))" for at in range(len(weights))]
    if centre is None:
        return _greatest(f"{weight:.4f} * - {each}" for weight, each in zip(weights, products, strict=True))
    distance = f"sqrt(GREATEST(CAST(:reach{name} AS float8) + 2 * ({vector} <#> CAST(:centre{name} AS vector)), 1e-12))"
    nearest = _greatest(
        f"{weight:.4f} * (- NULLIF({each}, 0) - CAST(:common{name}{at} AS float8))"
        for at, (weight, each) in enumerate(zip(weights, products, strict=True))
    )
    return f"COALESCE({nearest} / {distance}, 0)"


def similarity_values(asked: NDArray[np.float32], centre: Centre, name: str = "") -> dict[str, Any]:
    """Return the parameters of `similarity_sql` for centred queries, shape (queries, dimension)."""
    values: dict[str, Any] = {f"asked{name}{at}": each for at, each in enumerate(asked)}
    if centre is None:
        return values
    values |= {f"common{name}{at}": float(centre @ each) for at, each in enumerate(asked)}
    return values | {f"centre{name}": centre, f"reach{name}": 1 + float(centre @ centre)}


def _greatest(some: Iterable[str]) -> str:
    return f"GREATEST({', '.join(some)})"
