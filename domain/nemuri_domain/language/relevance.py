"""Relevance of a text to a request, as an absolute number: it depends on the two texts alone.

It joins two comparisons. The cosine compares the texts as wholes. The alignment (late interaction) asks for each word
of the request how near the nearest word of the text is, so a long text is not less relevant than a short one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.word_table import Words, WordTable, word_table

_NO_WORDS: Final = np.zeros(0, np.int64)
ALIGNED: Final = 0.5
"""Share of the alignment in the relevance. The cosine has the rest."""

Floats = NDArray[np.float32]
BUILT_IN_SPREAD: Final = 0.11
"""Standard deviation of the cosines of unrelated texts by the built-in table: .11 to .13, with the kind of text.
Cosines of other embedders are scaled to the same spread, so that relevance means the same with each.
"""


def relevance(cosines: Floats, aligned: Floats, spread: float = BUILT_IN_SPREAD) -> Floats:
    """Return the relevance of texts, 0 to 1, from their cosines with a request and their alignments with it.

    `spread` is the standard deviation of the cosines of unrelated texts by the embedder.
    """
    scaled = np.clip(cosines * np.float32(BUILT_IN_SPREAD / max(spread, 1e-6)), 0, 1)
    joined: Floats = (1 - ALIGNED) * scaled + ALIGNED * aligned
    return joined


def alignments(table: WordTable, requests: Sequence[Words], texts: Sequence[Words]) -> Floats:
    """Return the alignment of each request with each text, shape (requests, texts), 0 to 1.

    It is the mean over the words of the request, weighted by their importance, of the cosine with the nearest word of
    the text. A word has cosine 1 with itself, and an unknown word has 0 with all others. It is 0 for a request or a
    text without words.
    """
    return WordPairs.of(table, requests, texts).alignments([table.importance(each) for each in requests])


@dataclass(frozen=True, slots=True, eq=False)
class WordPairs:
    """How near the words of texts come to the words of requests."""

    nearest: Floats
    """Cosine of the nearest word of each text (row) with each word of all requests (column)."""

    @classmethod
    def of(cls, table: WordTable, requests: Sequence[Words], texts: Sequence[Words]) -> Self:
        """Compare the words of texts with those of requests."""
        lengths = np.array([len(each) for each in texts], np.intp)
        asked: Words = np.concatenate([*requests, _NO_WORDS])
        nearest = np.zeros((len(texts), len(asked)), np.float32)
        filled = np.flatnonzero(lengths)
        if len(filled) and len(asked):
            written: Words = np.concatenate([texts[at] for at in filled.tolist()])
            every, places = np.unique(written, return_inverse=True)
            near = np.clip(table.directions(every) @ table.directions(asked).T, 0, 1)
            near[every[:, None] == asked[None, :]] = 1
            begins = np.concatenate(([0], np.cumsum(lengths[filled])[:-1]))
            nearest[filled] = np.maximum.reduceat(near[places], begins, axis=0)
        return cls(nearest)

    def alignments(self, weights: Sequence[Floats]) -> Floats:
        """Return the alignments, shape (requests, texts), with these weights of each request's words."""
        found = np.zeros((len(weights), len(self.nearest)), np.float32)
        end = 0
        for number, each in enumerate(weights):
            begin, end = end, end + len(each)
            if total := each.sum():
                found[number] = self.nearest[:, begin:end] @ each / total
        return found


def relevance_of(request: str, texts: Sequence[str]) -> Floats:
    """Return the relevance of texts to a request by the built-in table alone, shape (texts,), 0 to 1."""
    table = word_table()
    asked, words = table.words(request), [table.words(each) for each in texts]
    rows = table.vectors([asked, *words])
    return relevance(rows[1:] @ rows[0], alignments(table, [asked], words)[0])
