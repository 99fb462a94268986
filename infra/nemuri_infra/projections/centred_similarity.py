"""Cosines of centred vectors in SQL. The tables hold the rows of the model, so the centre is taken out of the products.

For a row v of length 1, the centre c and a centred query q of length 1, the cosine of v − c and q is
(v·q − c·q) / √(1 + c·c − 2 v·c). So each row costs a second inner product, and nothing has to be stored again when the
calibration changes. A row of zeros, which is a text without content, has the cosine 0.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nemuri_infra.embeddings.calibration import Calibration


def similarity_sql(vector: str, calibration: Calibration) -> str:
    """Return the SQL expression of the cosine of a column of vectors, with the parameters of `similarity_values`."""
    if calibration.centre is None:
        return f"- ({vector} <#> CAST(:asked AS vector))"
    distance = f"sqrt(GREATEST(CAST(:reach AS float8) + 2 * ({vector} <#> CAST(:centre AS vector)), 1e-12))"
    return f"COALESCE((- NULLIF({vector} <#> CAST(:asked AS vector), 0) - CAST(:common AS float8)) / {distance}, 0)"


def similarity_values(asked: NDArray[np.float32], calibration: Calibration) -> dict[str, Any]:
    """Return the parameters of `similarity_sql` for a centred query, shape (dimension,)."""
    centre = calibration.centre
    if centre is None:
        return {"asked": asked}
    common, reach = float(centre @ asked), 1 + float(centre @ centre)
    return {"asked": asked, "centre": centre, "common": common, "reach": reach}
