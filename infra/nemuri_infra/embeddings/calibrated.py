"""An embedder with its calibration: the vectors that are compared."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from nemuri_infra.embeddings.calibration import Calibration, Floats, Source, Thresholds
from nemuri_infra.embeddings.general_texts import GENERAL_QUESTIONS, GENERAL_TEXTS
from nemuri_infra.embeddings.protocol import Embedder


@dataclass(frozen=True, slots=True)
class CalibratedEmbedder:
    """An embedder whose vectors are centred. Nothing is stored."""

    embedder: Embedder
    calibration: Calibration

    @classmethod
    def of(cls, embedder: Embedder) -> Self:
        """Return the embedder with the calibration that it comes with, or else with an assumption."""
        return cls(embedder, embedder.calibration or Calibration.unknown())

    @property
    def dimension(self) -> int:
        """Return the dimension of the vectors."""
        return self.embedder.dimension

    @property
    def thresholds(self) -> Thresholds:
        """Return the minimum cosines of these vectors."""
        return self.calibration.thresholds

    @property
    def space(self) -> str:
        """Return the name of what these vectors can be compared with: model, dimension and centre."""
        return f"{self.embedder.model}.{self.embedder.dimension}.{self.calibration.digest}"

    async def documents(self, texts: Sequence[str]) -> Floats:
        """Return the centred vectors of documents, shape (len(texts), dimension). Raises as the embedder does."""
        return self.calibration.centred(await self.embedder.embed_documents(texts))

    async def queries(self, texts: Sequence[str]) -> Floats:
        """Return the centred vectors of queries, shape (len(texts), dimension). Raises as the embedder does."""
        return self.calibration.centred(await self.embedder.embed_queries(texts))


async def calibrate(embedder: Embedder, rows: Floats | None, source: Source) -> Calibration:
    """Return the calibration of an embedder by the vectors of distinct texts, shape (n, dimension); None means general
    texts.

    Raises as the embedder does, and as `Calibration.of_rows`.
    """
    answers = await embedder.embed_documents(GENERAL_TEXTS)
    asked = await embedder.embed_queries(GENERAL_QUESTIONS)
    return await asyncio.to_thread(Calibration.of_rows, answers if rows is None else rows, asked, answers, source)
