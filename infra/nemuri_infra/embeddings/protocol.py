"""What the services ask of an embedder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The cosines of an embedder that divide the near from the far."""

    relevance: float
    use: float
    recall: float


class Embedder(Protocol):
    """Texts to vectors of length 1, so that the inner product is the cosine.

    All thresholds are cosines calibrated for this embedder; those of one say nothing about another.
    """

    @property
    def model(self) -> str:
        """Which vectors these are, in characters [A-Za-z0-9._-]; equal names give interchangeable vectors."""

    @property
    def dimension(self) -> int:
        """The length of every vector."""

    @property
    def stored(self) -> bool:
        """Whether vectors are worth keeping; False when they are recomputed at once and equal everywhere."""

    @property
    def relevance_threshold(self) -> float:
        """Below it a memory is no candidate for a query; low, so that next to nothing relevant is lost."""

    @property
    def use_threshold(self) -> float:
        """From it on an answer counts as having used a memory; high, so that unrelated texts do not pass."""

    @property
    def recall_threshold(self) -> float:
        """From it on a memory may be told to somebody who did not ask for it; higher than that of relevance."""

    @property
    def lexical(self) -> bool:
        """Whether texts are near because they are written alike; then words in common are looked for as well."""

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimension), rows of length 1; a text without content gives a row of zeros.

        Raises `ModelUnavailable` or `ModelRefused` of `nemuri_infra.models.protocol` when a provider fails.
        """

    async def aclose(self) -> None:
        """Release the connections or the model."""


def normalised(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The rows, shape (n, dimension), divided by their lengths; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return scaled
