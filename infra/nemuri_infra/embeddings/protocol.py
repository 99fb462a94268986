"""The protocol of embedders."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The calibrated thresholds of an embedder, as cosine similarities. The properties of `Embedder` explain each."""

    relevance: float
    use: float
    recall: float


class Embedder(Protocol):
    """An embedder. It maps texts to vectors of length 1, so that the inner product of two vectors is their cosine
    similarity.

    The thresholds are cosine similarities that were calibrated for this embedder. They do not apply to another one.
    """

    @property
    def model(self) -> str:
        """Return the name of the model, in characters [A-Za-z0-9._-].

        Embedders with equal names give interchangeable vectors.
        """

    @property
    def dimension(self) -> int:
        """Return the dimension of the vectors."""

    @property
    def stored(self) -> bool:
        """Return whether vectors should be stored.

        False if computing them again is quick and gives the same result on every machine.
        """

    @property
    def relevance_threshold(self) -> float:
        """Return the minimum cosine of a query and a memory that may be relevant to it.

        It is low, so that hardly any relevant memory is lost.
        """

    @property
    def use_threshold(self) -> float:
        """Return the minimum cosine of an answer and a memory for the memory to count as used.

        It is high, so that unrelated memories do not count.
        """

    @property
    def recall_threshold(self) -> float:
        """Return the minimum cosine for a memory that is recalled although nobody asked for it.

        It is higher than the relevance threshold. If `lexical` is false, a memory that shares the prompt's topic by its
        words does not need it.
        """

    @property
    def lexical(self) -> bool:
        """Return whether similar vectors mean similar spelling. Affective retrieval then requires common words."""

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of the texts, shape (len(texts), dimension).

        Each row has length 1, or is zero for a text without content. Raises `ModelUnavailable` or `ModelRefused` of
        `nemuri_infra.models.failures` if a provider fails.
        """

    async def aclose(self) -> None:
        """Release the connections or the model. The embedder must not be used afterwards."""


def normalised(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows, shape (n, dimension), scaled to length 1. Rows of zeros stay zeros."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return scaled
