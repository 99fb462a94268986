"""The built-in embedder: it sums the vectors of the words of a text. It needs no model and no download."""

import asyncio
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.relevance import BUILT_IN_SPREAD
from nemuri_domain.language.word_table import MODEL, word_table
from nemuri_infra.embeddings.calibration import Calibration

_BATCH_SIZE: Final = 256
_SAMPLE: Final = 1_000
"""Approximate number of texts of each set on which the spread was measured."""


class BuiltInEmbedder:
    """An embedder of meaning in English and Japanese, and between both (`nemuri_domain.language.word_table`).

    A text is the weighted sum of its words, so it knows neither order nor context. Words of other languages, names and
    identifiers count as themselves. Equal texts give equal vectors in every process and on every machine. The embedder
    is thread-safe.
    """

    model: Final = MODEL
    stored: Final = False
    symmetric: Final = True
    calibration: Final = Calibration(None, BUILT_IN_SPREAD, _SAMPLE, "built-in")

    def __init__(self, dimension: int | None = None) -> None:
        """Take the first `dimension` coordinates, which hold most of what distinguishes texts; None for all.

        Raises ValueError for a dimension that the table does not have.
        """
        every = word_table().dimension
        self.dimension: Final = every if dimension is None else dimension
        if not 1 <= self.dimension <= every:
            raise ValueError(f"the dimension of the built-in embedder must be from 1 to {every}, not {dimension}")

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of the texts, shape (len(texts), dimension). A text of 100 characters takes about 0.1 ms.

        More than 256 texts are embedded in a thread.
        """
        if len(texts) > _BATCH_SIZE:
            return await asyncio.to_thread(self.rows, texts)
        return self.rows(texts)

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of the texts as `embed_documents` does."""
        return await self.embed_documents(texts)

    async def aclose(self) -> None:
        """Do nothing. This embedder has no connections."""

    def rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of the texts, shape (len(texts), dimension). Blocks the event loop."""
        table = word_table()
        return table.vectors([table.words(text) for text in texts], self.dimension)
