"""Short documents of the memories of an index, by row."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

_OBJECT_BYTES: Final = 41
"""Bytes of memory that a row takes beside its document."""


class DocumentRows:
    """The document of each row, as bytes. A row that was never set, or was removed, has an empty one."""

    def __init__(self, joined: bytes = b"", lengths: NDArray[np.int32] | None = None) -> None:
        """Create rows with documents of these `lengths`, which follow each other in `joined`."""
        ends = [] if lengths is None else np.cumsum(lengths).tolist()
        self._rows = [joined[start:end] for start, end in pairwise([0, *ends])]
        self._bytes = len(joined)

    @property
    def nbytes(self) -> int:
        """Return the size in bytes of memory."""
        return self._bytes + _OBJECT_BYTES * len(self._rows)

    def __getitem__(self, row: int) -> bytes:
        return self._rows[row] if row < len(self._rows) else b""

    def set(self, row: int, document: bytes) -> None:
        """Set the document of a row."""
        self._rows += [b""] * (row + 1 - len(self._rows))
        self._bytes += len(document) - len(self._rows[row])
        self._rows[row] = document

    def remove(self, rows: Iterable[int]) -> None:
        """Take the documents of rows away."""
        for row in rows:
            self.set(row, b"")

    def stored(self, rows: int) -> tuple[bytes, NDArray[np.int32]]:
        """Return the documents of the rows 0 … `rows` - 1, and the length of each, as the constructor takes them."""
        every = [self[row] for row in range(rows)]
        return b"".join(every), np.array([len(document) for document in every], np.int32)
