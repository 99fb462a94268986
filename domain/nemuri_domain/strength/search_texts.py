"""The texts of a search in a retrieval index, prepared for vectors and for words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.tokenization import terms
from nemuri_domain.language.word_table import Words, word_table

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class QueryText:
    """A text to search for: a sentence of a request, an item of it, or an expansion."""

    text: str
    weight: float = 1.0
    """Factor on the relevance to this text, 0 to 1."""
    decides: bool = True
    """True if the relevance to this text decides whether anything is relevant."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchTexts:
    """The texts of a query, prepared for the search by vectors and by words."""

    vectors: Floats
    """Vector of each text, of length 1 or zero, shape (texts, dimension)."""
    words: Sequence[Words]
    terms: Sequence[Sequence[str]]
    weights: Floats
    """Weight of each text, shape (texts, 1)."""
    decisive: Mask
    """True for each text that decides, shape (texts,)."""
    scale: float
    """Scale of the embedder's cosines (`nemuri_domain.language.relevance`)."""

    @classmethod
    def of(cls, texts: Sequence[QueryText], vectors: Floats | Sequence[Floats], scale: float = 1.0) -> Self:
        """Return the texts prepared, with the vector of each, shape (texts, dimension).

        Raises ValueError without a text, or with another number of vectors.
        """
        rows = np.asarray(vectors, np.float32)
        if not texts or rows.ndim != 2 or len(rows) != len(texts):
            raise ValueError(f"expected at least one text and a vector of each; got {len(texts)} texts")
        table = word_table()
        return cls(
            rows,
            [table.words(text.text) for text in texts],
            [terms(text.text) for text in texts],
            np.array([text.weight for text in texts], np.float32)[:, None],
            np.array([text.decides for text in texts], np.bool_),
            scale,
        )
