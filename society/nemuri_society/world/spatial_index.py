"""A spatial index by chunks. A query visits only the chunk of a position and the rings of chunks around it."""

from math import ceil

import numpy as np

from nemuri_society.world.column_types import Indices, Integers

CHUNK = 16
"""Side of a chunk in blocks (document 002 §3.4)."""
_SHIFT, _MAX_CHUNKS_PER_SIDE, _CHUNK_OFFSET = 4, 1 << 20, 8
"""Number of bits of a position within its chunk, maximum number of chunks along a side, and number added to a chunk's
index so that it is not negative.
"""


class SpatialIndex:
    """Bodies sorted by chunk, for neighbour queries without comparing all pairs."""

    def __init__(self, x: Integers, z: Integers) -> None:
        """Index bodies by their positions. A body is identified by its index in `x` and `z`."""
        self._x, self._z = x.astype(np.int64), z.astype(np.int64)
        chunks = _chunk_key(self._x >> _SHIFT, self._z >> _SHIFT)
        self._order = np.argsort(chunks, kind="stable")
        self._chunks = chunks[self._order]

    def pairs(self, x: Integers, z: Integers, radius: float) -> tuple[Indices, Indices, Indices]:
        """Return all pairs of a position and a body within the radius: position index, body index and squared distance.

        Distances equal to the radius are included. Pairs are ordered by chunk, not by distance.
        """
        rings = ceil(radius / CHUNK)
        columns = (x.astype(np.int64) >> _SHIFT)[None, :] + np.arange(-rings, rings + 1)[:, None]
        row = (z.astype(np.int64) >> _SHIFT)[None, :]
        begin = np.searchsorted(self._chunks, _chunk_key(columns, row - rings), side="left").reshape(-1)
        end = np.searchsorted(self._chunks, _chunk_key(columns, row + rings), side="right").reshape(-1)
        counts = end - begin
        positions = np.repeat(np.tile(np.arange(x.size), columns.shape[0]), counts)
        first = np.repeat(begin - np.cumsum(counts) + counts, counts)
        bodies = self._order[np.arange(positions.size) + first]
        squares = (self._x[bodies] - x[positions]) ** 2 + (self._z[bodies] - z[positions]) ** 2
        within = squares <= radius * radius
        return positions[within], bodies[within], squares[within]


def _chunk_key(x: Indices, z: Indices) -> Indices:
    return (x + _CHUNK_OFFSET) * _MAX_CHUNKS_PER_SIDE + z + _CHUNK_OFFSET
