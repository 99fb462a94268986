"""A built-in table of the meanings of English words, for comparisons without a model.

The hashing embedder knows only how words are spelled: *doctor* and *hospital* have nothing in common for it. This table
has a short vector for each of twenty thousand English words. A text is the mean of its words, so it knows neither order
nor context. Rare words (*invoice*) and words of other languages have no meaning in it. Routing uses it beside spelling
and words.

The vectors are those of all-MiniLM-L6-v2 for single words (Apache-2.0), reduced to their principal components and to
four bits for each number by `python -m bench.word_meanings`. Words are in the order of their frequency.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.word_lists import GENERAL_WORDS, STOP_WORDS
from nemuri_infra.embeddings.hashing import HashingEmbedder
from nemuri_infra.embeddings.unit_rows import normalised

FILE: Final = "word_meanings.npz"
GENERAL: Final = 0.3
"""Weight of a general word (*want*, *today*). Other words have weight 1."""
MEANING: Final = 0.57
"""Share of the meanings in the cosine of `with_meanings`. Spelling has the rest (`python -m bench.routing --tune`)."""
_WORD = re.compile(r"[a-z]+")

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class WordMeanings:
    """Vectors of words, most frequent word first."""

    places: dict[str, int]
    vectors: NDArray[np.float16]
    """Vectors of length 1, shape (words, dimension). Their four bits need no more precision."""

    def of(self, texts: Sequence[str]) -> Floats:
        """Return the mean meaning of the words of each text, shape (texts, dimension): rows of length 1, or zeros for a
        text without a known word.

        A word weighs the logarithm of its rank by frequency. Stop words are left out.
        """
        found = np.zeros((len(texts), self.vectors.shape[1]), np.float32)
        for row, text in enumerate(texts):
            for word in _WORD.findall(text.casefold()):
                place = None if word in STOP_WORDS else self._place(word)
                if place is not None:
                    weight = log(2 + place) * (GENERAL if word in GENERAL_WORDS else 1.0)
                    found[row] += np.float32(weight) * self.vectors[place]
        return normalised(found)

    def _place(self, word: str) -> int | None:
        """Return the place of a word, or of its singular; None if neither is known."""
        place = self.places.get(word)
        return self.places.get(word.removesuffix("s")) if place is None else place


def packed(vectors: Floats) -> NDArray[np.uint8]:
    """Return unit vectors as four bits for each number, shape (words, dimension / 2). The dimension must be even."""
    limit = float(np.quantile(np.abs(vectors), 0.997))
    levels = np.round(np.clip(vectors / limit, -1, 1) * 7).astype(np.int8) + 8
    pairs: NDArray[np.uint8] = (levels[:, ::2] << 4 | levels[:, 1::2]).astype(np.uint8)
    return pairs


def unpacked(levels: NDArray[np.uint8]) -> Floats:
    """Return the unit vectors of `packed`."""
    found = np.empty((levels.shape[0], levels.shape[1] * 2), np.float32)
    found[:, ::2], found[:, 1::2] = levels >> 4, levels & 15
    return normalised(found - 8)


@cache
def word_meanings() -> WordMeanings:
    """Return the built-in table. It is read once in each process, which takes about 10 ms and 5 MB."""
    with resources.files("nemuri_infra.embeddings").joinpath(FILE).open("rb") as file, np.load(file) as stored:
        words, levels = bytes(stored["words"]).decode().split("\n"), stored["levels"]
    return WordMeanings({word: place for place, word in enumerate(words)}, unpacked(levels).astype(np.float16))


def with_meanings(texts: Sequence[str], spelled: Floats) -> Floats:
    """Return the hashed vectors of texts joined with their meanings, shape (texts, dimension + dimension of meanings).

    The rows have length 1. The cosine of two of them is the mean of the cosines of both parts, by `MEANING`. A text
    without a known word, for example a Japanese one, is its spelling alone.
    """
    meant = word_meanings().of(texts)
    known = meant.any(axis=1, keepdims=True)
    spelling = np.where(known, np.float32((1 - MEANING) ** 0.5), np.float32(1)) * spelled
    return normalised(np.hstack((spelling, np.float32(MEANING**0.5) * meant)).astype(np.float32))


def built_in_rows(texts: Sequence[str]) -> Floats:
    """Return the vectors by which routing compares texts without an embedding model, shape (texts, dimension)."""
    return with_meanings(texts, HashingEmbedder().rows(texts))
