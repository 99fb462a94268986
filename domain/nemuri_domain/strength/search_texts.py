"""The texts of a search in a retrieval index, prepared for vectors and for words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.tokenization import terms
from nemuri_domain.language.word_table import Words, WordTable

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SearchText:
    """A text to search for: a sentence of a request, an item of it, or an expansion."""

    text: str
    vector: Floats
    """Vector of the text, of length 1 or zero, shape (dimension,)."""
    weight: float = 1.0
    """Factor on the relevance to this text, 0 to 1."""
    decides: bool = True
    """True if the relevance to this text decides whether anything is relevant."""


@dataclass(frozen=True, slots=True)
class PreparedTexts:
    """The texts of a query, prepared for both channels."""

    vectors: Floats
    words: Sequence[Words]
    terms: Sequence[Sequence[str]]
    weights: Floats
    """Weight of each text, shape (texts, 1)."""
    decisive: Mask
    spread: float

    @classmethod
    def of(cls, texts: Sequence[SearchText], table: WordTable, spread: float) -> Self:
        """Return the texts prepared. Raises ValueError without a text."""
        return cls(
            np.stack([each.vector for each in texts]).astype(np.float32),
            [table.words(each.text) for each in texts],
            [terms(each.text) for each in texts],
            np.array([each.weight for each in texts], np.float32)[:, None],
            np.array([each.decides for each in texts], np.bool_),
            spread,
        )
