"""Rows of vectors that queries are compared with: dense, or sparse for embedders that hash features."""

from collections.abc import Iterable, Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.sparse_columns import Columns, SparseColumns

Floats = NDArray[np.float32]

LEAST_RESERVED: Final = 64
SEARCHES_BY_COORDINATES: Final = 1
"""Number of searches of sparse vectors before a matrix is made of them."""


class VectorRows(Protocol):
    """Vectors by row. A row that was never set, or was removed, is a zero vector."""

    @property
    def nbytes(self) -> int:
        """Return the size in bytes of memory."""

    def stored(self, rows: int) -> Floats | Columns:
        """Return the vectors of the rows 0 … `rows` - 1, in the form from which `vector_rows` makes the same rows."""

    def add(self, rows: Sequence[int], vectors: Floats) -> None:
        """Set rows that are zero."""

    def remove(self, rows: Iterable[int]) -> None:
        """Set these rows to zero."""

    def products(self, queries: Floats, rows: int) -> Floats:
        """Return the dot product of each query with each of the rows 0 … `rows` - 1, shape (queries, rows)."""


def vector_rows(dimension: int, stored: Floats | Columns | None = None, *, sparse: bool = False) -> VectorRows:
    """Return rows for vectors of this dimension: those of `stored`, or none. `sparse` chooses the form if there are
    none.
    """
    if isinstance(stored, Columns):
        return SparseVectors(dimension, stored)
    if stored is not None:
        return DenseVectors(stored.copy())
    return SparseVectors(dimension) if sparse else DenseVectors(np.zeros((0, dimension), np.float32))


class DenseVectors:
    """Vectors in a matrix: 4 bytes × dimension for a row."""

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

    def add(self, rows: Sequence[int], vectors: Floats) -> None:
        """Set rows that are zero."""
        self._reserve(max(rows, default=-1) + 1)
        self._matrix[rows] = vectors

    def remove(self, rows: Iterable[int]) -> None:
        """Set these rows to zero."""
        self._matrix[[row for row in rows if row < len(self._matrix)]] = 0

    def products(self, queries: Floats, rows: int) -> Floats:
        """Return the dot product of each query with each of the rows 0 … `rows` - 1, shape (queries, rows)."""
        self._reserve(rows)
        products: Floats = queries @ self._matrix[:rows].T
        return products

    def _reserve(self, rows: int) -> None:
        if rows > len(self._matrix):
            more = max(LEAST_RESERVED, len(self._matrix) // 2, rows - len(self._matrix))
            self._matrix = np.concatenate([self._matrix, np.zeros((more, self._matrix.shape[1]), np.float32)])


class SparseVectors:
    """Vectors of which only the coordinates other than zero are held, 6 to 8 bytes for each, until they are searched
    repeatedly; then a matrix, 4 bytes × dimension for a row.

    A search by coordinates costs about three times as much for each query as one in a matrix, and making the matrix as
    much as a few searches. So an index that is read for one search stays small, and one that is in use is fast.
    """

    def __init__(self, dimension: int, columns: Columns | None = None) -> None:
        self._dimension = dimension
        self._columns = SparseColumns() if columns is None else SparseColumns(columns)
        self._matrix: DenseVectors | None = None
        self._searches = 0

    @property
    def nbytes(self) -> int:
        """Return the size in bytes of memory, reserved rows included."""
        return self._columns.nbytes if self._matrix is None else self._matrix.nbytes

    def stored(self, rows: int) -> Columns:
        """Return the coordinates of the rows 0 … `rows` - 1, by dimension."""
        if self._matrix is None:
            return self._columns.merged()
        dimensions, places = np.nonzero(self._matrix.stored(rows).T)
        values = self._matrix.stored(rows)[places, dimensions]
        return Columns.sorted(dimensions.astype(np.uint64), places.astype(np.uint32), values)

    def add(self, rows: Sequence[int], vectors: Floats) -> None:
        """Set rows that are zero."""
        if self._matrix is not None:
            self._matrix.add(rows, vectors)
            return
        at, dimensions = np.nonzero(vectors)
        places = np.asarray(rows, np.uint32)
        self._columns.add(dimensions.astype(np.uint64), places[at], vectors[at, dimensions])

    def remove(self, rows: Iterable[int]) -> None:
        """Set these rows to zero."""
        (self._columns if self._matrix is None else self._matrix).remove(rows)

    def products(self, queries: Floats, rows: int) -> Floats:
        """Return the dot product of each query with each of the rows 0 … `rows` - 1, shape (queries, rows)."""
        self._searches += 1
        if self._matrix is None and self._searches > SEARCHES_BY_COORDINATES:
            self._matrix, self._columns = self._as_matrix(rows), SparseColumns()
        if self._matrix is not None:
            return self._matrix.products(queries, rows)
        parts = self._columns.parts()
        sums = [np.sum([part.weighted_sums(query, rows) for part in parts], axis=0) for query in queries]
        return np.stack(sums).astype(np.float32)

    def _as_matrix(self, rows: int) -> DenseVectors:
        dimensions, places, values = self._columns.merged().flat()
        matrix = np.zeros((rows, self._dimension), np.float32)
        matrix.reshape(-1)[places.astype(np.intp) * self._dimension + dimensions.astype(np.intp)] = values
        return DenseVectors(matrix)
