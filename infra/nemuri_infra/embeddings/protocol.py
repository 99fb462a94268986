"""The protocol of embedders."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The calibrated cosine thresholds of an embedder."""

    relevance: float
    use: float
    recall: float


class Embedder(Protocol):
    """Maps texts to vectors of length 1, so that the inner product is the cosine.

    All thresholds are cosines calibrated for this embedder. They do not apply to another one.
    """

    @property
    def model(self) -> str:
        """Return the name of the vectors, in characters [A-Za-z0-9._-]. Equal names mean interchangeable vectors."""

    @property
    def dimension(self) -> int:
        """Return the dimension of the vectors."""

    @property
    def stored(self) -> bool:
        """Return whether vectors should be stored; False if they are recomputed quickly and equal everywhere."""

    @property
    def relevance_threshold(self) -> float:
        """Return the minimum cosine of a candidate for a query; low, so that almost nothing relevant is lost."""

    @property
    def use_threshold(self) -> float:
        """Return the minimum cosine of an answer and a memory that it used; high, so that unrelated texts do not
        pass.
        """

    @property
    def recall_threshold(self) -> float:
        """Return the minimum cosine of an unrequested recall; higher than the relevance threshold."""

    @property
    def lexical(self) -> bool:
        """Return whether similarity means similar spelling. Then words in common are required too."""

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors, shape (len(texts), dimension), rows of length 1. A text without content gives a row of
        zeros.

        Raises `ModelUnavailable` or `ModelRefused` of `nemuri_infra.models.protocol` if a provider fails.
        """

    async def aclose(self) -> None:
        """Release the connections or the model."""


def normalised(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows, shape (n, dimension), divided by their lengths. Rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return scaled
