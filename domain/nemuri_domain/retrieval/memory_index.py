"""The memories of an agent by row: their ids, the features by which their kind of memory ranks, and their vectors."""

from collections.abc import Collection, Sequence
from typing import Any, Final, Self
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.retrieval.vector_rows import VectorRows

ROW_BYTES: Final = 700
"""Measured size of a row's id, and of the Python objects in its features, in bytes."""
FEW: Final = 50
"""Number of memories whose mean vector counts half."""

Features = NDArray[Any]
"""Structured array with one row for each memory. Each kind of memory has columns of its own."""
Floats = NDArray[np.float32]


class MemoryIndex:
    """The index of the memories of one agent. Its rows have no order. Not thread-safe."""

    def __init__(self, dimension: int, columns: "np.dtype[Any]") -> None:
        """Create an empty index for vectors of this dimension and features with these columns."""
        self.dimension = dimension
        self.ids: list[bytes] = []
        """The 16 bytes of the id in each row."""
        self.features: Features = np.zeros(0, columns)
        self._vectors = VectorRows(np.zeros((0, dimension), np.float32))
        self._rows: dict[bytes, int] = {}
        self._common: Floats | None = None

    @classmethod
    def of(cls, ids: Sequence[bytes], features: Features, vectors: Floats) -> Self:
        """Return an index of these memories, which it does not copy. It takes no further memories."""
        index = cls(vectors.shape[1], features.dtype)
        index.ids, index.features, index._vectors = list(ids), features, VectorRows(vectors)
        return index

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def nbytes(self) -> int:
        """Return the estimated size in bytes."""
        return self._vectors.nbytes + self.features.nbytes + ROW_BYTES * len(self)

    def id(self, row: int) -> UUID:
        """Return the id of the memory in a row."""
        return UUID(bytes=self.ids[row])

    def put(self, ids: Sequence[UUID], features: Features, vectors: Floats) -> None:
        """Insert or update memories. `vectors` have shape (memories, dimension); zeros for a memory that has none."""
        fresh = [key for memory_id in ids if (key := memory_id.bytes) not in self._rows]
        self._rows |= {key: row for row, key in enumerate(fresh, len(self))}
        self.ids += fresh
        self.features = np.concatenate([self.features, np.zeros(len(fresh), self.features.dtype)])
        rows = [self._rows[memory_id.bytes] for memory_id in ids]
        self.features[rows] = features
        self._vectors.add(rows, vectors)
        self._common = None

    def drop(self, ids: Collection[UUID]) -> None:
        """Remove memories. Unknown ids are ignored."""
        gone = {self._rows[key] for memory_id in ids if (key := memory_id.bytes) in self._rows}
        if not gone:
            return
        kept = [row for row in range(len(self)) if row not in gone]
        self.ids, self.features = [self.ids[row] for row in kept], self.features[kept]
        self._vectors, self._common = VectorRows(self._vectors.stored(len(self._rows))[kept]), None
        self._rows = {key: row for row, key in enumerate(self.ids)}

    def keep(self, ids: Collection[UUID]) -> None:
        """Remove all other memories than these."""
        known = {memory_id.bytes for memory_id in ids}
        self.drop([UUID(bytes=key) for key in self.ids if key not in known])

    def cosines(self, queries: Floats) -> Floats:
        """Return the dot product of each memory with each query, shape (memories, queries)."""
        return self._vectors.products(queries, len(self)).T

    @property
    def common(self) -> Floats:
        """Common part of the memories' vectors, shape (dimension,): their mean, shrunk towards zero if they
        are few.

        An agent that always talks about the same things has memories that are all alike. Without the mean, they differ
        by what is special about each.
        """
        if self._common is None:
            total = self._vectors.stored(len(self)).sum(axis=0, dtype=np.float64)
            self._common = (total / (len(self) + FEW)).astype(np.float32)
        return self._common
