"""Cosines of centred vectors in SQL. The tables hold the rows of the model, so the centre is taken out of the products.

For a row v of length 1, the centre c and a centred query q of length 1, the cosine of v − c and q is
(v·q − c·q) / √(1 + c·c − 2 v·c). So each row costs a second inner product, and nothing is stored again when the
calibration changes. A row of zeros has the cosine 0. It is the vector of a text without content.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Centre = NDArray[np.float32] | None
"""What is subtracted from each row, shape (dimension,); None for nothing."""


def similarity_sql(vector: str, centre: Centre) -> str:
    """Return the SQL expression of the cosine of a column of vectors with a query.

    The parameters are those of `similarity_values`.
    """
    product = f"({vector} <#> CAST(:asked AS vector))"
    if centre is None:
        return f"- {product}"
    distance = f"sqrt(GREATEST(CAST(:reach AS float8) + 2 * ({vector} <#> CAST(:centre AS vector)), 1e-12))"
    return f"COALESCE((- NULLIF({product}, 0) - CAST(:common AS float8)) / {distance}, 0)"


def similarity_values(asked: NDArray[np.float32], centre: Centre) -> dict[str, Any]:
    """Return the parameters of `similarity_sql` for a centred query, shape (dimension,)."""
    if centre is None:
        return {"asked": asked}
    return {"asked": asked, "common": float(centre @ asked), "centre": centre, "reach": 1 + float(centre @ centre)}
