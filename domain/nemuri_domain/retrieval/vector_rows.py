"""Rows of vectors that queries are compared with."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

LEAST_RESERVED: Final = 64
BLOCK: Final = 512
"""Number of rows that are multiplied at once: half a megabyte of 256 dimensions."""


class VectorRows:
    """Vectors by row, in a matrix: 4 bytes × dimension for a row. A row that was never set is zero."""

    def __init__(self, matrix: Floats) -> None:
        self._matrix = matrix

    @property
    def nbytes(self) -> int:
        """Return the size in bytes of memory, reserved rows included."""
        return self._matrix.nbytes

    def stored(self, rows: int) -> Floats:
        """Return the vectors of the rows 0 … `rows` - 1."""
        self._reserve(rows)
        return self._matrix[:rows]

    def of(self, rows: NDArray[np.intp]) -> Floats:
        """Return the vectors of rows, shape (n, dimension)."""
        self._reserve(int(rows.max(initial=-1)) + 1)
        vectors: Floats = self._matrix[rows]
        return vectors

    def add(self, rows: Sequence[int], vectors: Floats) -> None:
        """Set the vectors of rows."""
        self._reserve(max(rows, default=-1) + 1)
        self._matrix[rows] = vectors

    def kept(self, rows: NDArray[np.intp]) -> "VectorRows":
        """Return the vectors of these rows, numbered from 0."""
        return VectorRows(self.of(rows))

    def products(self, queries: Floats, rows: int) -> Floats:
        """Return the dot product of each query with each of the rows 0 … `rows` - 1, shape (queries, rows).

        Each block of rows is multiplied with one query after the other while it is in the processor's cache. For a few
        queries this takes half the time of one matrix product.
        """
        self._reserve(rows)
        products = np.empty((len(queries), rows), np.float32)
        for start in range(0, rows, BLOCK):
            end = min(start + BLOCK, rows)
            for row, query in zip(products, queries, strict=True):
                np.dot(self._matrix[start:end], query, out=row[start:end])
        return products

    def _reserve(self, rows: int) -> None:
        if rows > len(self._matrix):
            more = max(LEAST_RESERVED, len(self._matrix) // 2, rows - len(self._matrix))
            self._matrix = np.concatenate([self._matrix, np.zeros((more, self._matrix.shape[1]), np.float32)])
