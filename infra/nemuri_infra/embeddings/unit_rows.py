"""Scaling of vectors to length 1."""

import numpy as np
from numpy.typing import NDArray


def normalised(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows, shape (n, dimension), scaled to length 1. Rows of zeros stay zeros."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return scaled
