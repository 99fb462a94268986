"""Relevance of a text to a request, as an absolute number: it depends on the two texts alone.

It joins two comparisons. The cosine compares the texts as wholes. The alignment (late interaction) asks for each word
of the request how near the nearest word of the text is, so a long text is not less relevant than a short one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.word_table import Words, WordTable, word_table

_NO_WORDS: Final = np.zeros(0, np.int64)
BLOCK: Final = 32
"""Number of texts of about the same length whose words are compared at once."""
ALIGNED: Final = 0.5
"""Share of the alignment in the relevance. The cosine has the rest."""

Floats = NDArray[np.float32]


def relevance(cosines: Floats, aligned: Floats, scale: float = 1.0) -> Floats:
    """Return the relevance of texts, 0 to 1, from their cosines with a request and their alignments with it.

    `scale` is that of the embedder: how far its cosines of related texts stand out, as a multiple of the built-in
    embedder's. So relevance means the same with each.
    """
    scaled = np.clip(cosines / np.float32(scale), 0, 1)
    joined: Floats = (1 - ALIGNED) * scaled + ALIGNED * aligned
    return joined


def alignments(table: WordTable, requests: Sequence[Words], texts: Sequence[Words]) -> Floats:
    """Return the alignment of each request with each text, shape (requests, texts), 0 to 1.

    It is the mean over the words of the request, weighted by their importance, of the cosine with the nearest word of
    the text. A word has cosine 1 with itself, and an unknown word has 0 with all others. It is 0 for a request or a
    text without words.
    """
    pairs = WordPairs.of(table, requests, texts)
    return pairs.alignments(table.importance(pairs.asked))


@dataclass(frozen=True, slots=True, eq=False)
class WordPairs:
    """The nearness of the words of texts to the words of requests."""

    asked: Words
    """The distinct words of all requests."""
    nearest: Floats
    """Cosine of the nearest word of each text (row) with each of these words (column)."""
    places: Sequence[NDArray[np.intp]]
    """Column of each word of each request."""

    @classmethod
    def of(cls, table: WordTable, requests: Sequence[Words], texts: Sequence[Words]) -> Self:
        """Compare the words of texts with those of requests."""
        lengths = np.array([len(text) for text in texts], np.intp)
        asked, columns = np.unique(np.concatenate([*requests, _NO_WORDS]), return_inverse=True)
        nearest = np.zeros((len(texts), len(asked)), np.float32)
        filled = np.flatnonzero(lengths)
        if len(filled) and len(asked):
            written: Words = np.concatenate([texts[at] for at in filled.tolist()])
            every, places = _distinct(written, len(table.weights))
            near = np.clip(table.cosines(every, asked), 0, 1)
            near[every[:, None] == asked[None, :]] = 1
            begins = np.cumsum(lengths) - lengths
            by_length = filled[np.argsort(lengths[filled], kind="stable")]
            for start in range(0, len(by_length), BLOCK):  # A shorter text repeats its last word up to the longest.
                block = by_length[start : start + BLOCK]
                longest = np.arange(lengths[block[-1]])[:, None]
                nearest[block] = near[places[begins[block] + np.minimum(longest, lengths[block] - 1)]].max(axis=0)
        ends = np.cumsum([len(request) for request in requests], dtype=np.intp)
        return cls(
            asked, nearest, [columns[end - len(request) : end] for request, end in zip(requests, ends, strict=True)]
        )

    def alignments(self, weights: Floats) -> Floats:
        """Return the alignments, shape (requests, texts), with these weights of the distinct words."""
        shares = np.zeros((len(self.places), len(self.asked)), np.float32)
        for share, columns in zip(shares, self.places, strict=True):
            if total := weights[columns].sum():
                share[:] = np.bincount(columns, weights[columns] / total, len(share))
        found: Floats = shares @ self.nearest.T
        return found


def _distinct(words: Words, known: int) -> tuple[Words, NDArray[np.intp]]:
    """Return the distinct words, and for each word its place among them. `known` is the number of words of the table.

    It sorts only unknown words, so it takes a third of the time of `np.unique`.
    """
    there, at = np.zeros(known, np.bool_), np.empty(known, np.intp)
    unknown = words < 0
    there[words[~unknown]] = True
    every: Words = np.flatnonzero(there)
    at[every] = np.arange(len(every))
    places = at[np.where(unknown, 0, words)]
    others, among = np.unique(words[unknown], return_inverse=True)
    places[unknown] = len(every) + among
    return np.concatenate([every, others]), places


def relevances(requests: Sequence[Words], texts: Sequence[str]) -> Floats:
    """Return the relevance of texts to requests by the built-in table alone, shape (requests, texts), 0 to 1.

    The words and vectors of recent texts are kept, because the same memories are compared with many requests.
    """
    if not texts:
        return np.zeros((len(requests), 0), np.float32)
    table, some = word_table(), [read_text(text) for text in texts]
    cosines = table.vectors(requests) @ np.stack([vector for _, vector in some]).T
    return relevance(cosines, alignments(table, requests, [words for words, _ in some]))


def relevance_of(request: str, texts: Sequence[str]) -> Floats:
    """Return the relevance of texts to a request by the built-in table alone, shape (texts,), 0 to 1."""
    found: Floats = relevances([word_table().words(request)], texts)[0]
    return found


@lru_cache(maxsize=4_096)
def read_text(text: str) -> tuple[Words, Floats]:
    """Return the words of a text and its vector. Those of recent texts are kept."""
    words = word_table().words(text)
    return words, word_table().vectors([words])[0]
