"""The protocol of embedders."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nemuri_infra.embeddings.calibration import Calibration


class Embedder(Protocol):
    """An embedder. It maps texts to vectors of length 1, so that the inner product of two vectors is their cosine
    similarity.

    A query is what is asked, a document is what may answer it. Many models want them marked. Two statements are
    compared as documents.
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
    def symmetric(self) -> bool:
        """Return whether a text has the same vector as a query and as a document."""

    @property
    def calibration(self) -> Calibration | None:
        """Return the calibration that comes with the embedder; None if it has to be measured."""

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts that are found, shape (len(texts), dimension).

        Each row has length 1, or is zero for a text without content. Raises `ModelUnavailable` or `ModelRefused` of
        `nemuri_infra.models.failures` if a provider fails.
        """

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts that search, shape (len(texts), dimension); see `embed_documents`."""

    async def aclose(self) -> None:
        """Release the connections or the model. The embedder must not be used afterwards."""
