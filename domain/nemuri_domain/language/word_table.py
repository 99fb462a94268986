"""A table of word vectors in English and Japanese, by which texts are compared by meaning without a model.

The table was distilled from a multilingual model (`python -m bench.word_table`). Words of both languages lie in one
space, so *walnut* is near くるみ. A word that is not in the table (a name, an identifier, a number) has a vector made
of its hash: it is like itself, and like nothing else.

All sums are sums of integers below 2^53, so equal texts give equal vectors on every machine. The files are mapped, so
the processes of a machine share them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from math import fsum, inf
from pathlib import Path
from typing import Final, Protocol
from zlib import crc32

import marisa_trie
import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.tokenization import stem
from nemuri_domain.language.writing_systems import CJK, LETTERS, SOUTH_EAST_ASIAN, plain_letters

MODEL: Final = "nemuri-words-3"
"""Name of the table. It changes with the vectors, and with what counts as a word."""
LONGEST_JAPANESE_WORD: Final = 8
LONGEST_TEXT: Final = 16_000
"""Maximum number of characters of a text that are read. The rest is ignored."""
_UNKNOWN_COST: Final = 24.0
"""Cost of a CJK character that is no word, in the segmentation: more than that of the rarest word."""
_UNKNOWN_LEVEL: Final = 64
"""Size of each coordinate of an unknown word's vector."""
MEDIAN_IMPORTANCE: Final = 1 << 20
"""Median importance of the words of the table."""
UNKNOWN_WEIGHT: Final = 700
"""Factor of an unknown word's vector. Its importance is then 0.7 of the median: a rare word says much, but a word that
is not in the table may also be a slip or of another language.
"""

_PIECE = re.compile(rf"(?P<cjk>[{CJK}]+)|(?P<other>[{SOUTH_EAST_ASIAN}]+)|{LETTERS}(?:['’.-]{LETTERS})*")
_ENDING = re.compile(r"['’](?:s|ll|d|re|ve|m)?$")

Floats = NDArray[np.float32]
Words = NDArray[np.int64]
"""The words of a text in order: the place of each known word in the table, or for an unknown word the negative of its
hash. Shape (n,).
"""


class Trie(Protocol):
    """A mapping of words to their places in the table."""

    def get(self, word: str, /) -> int | None:
        """Return the place of a word; None if it is unknown."""

    def iter_prefixes_with_ids(self, text: str, /) -> Iterator[tuple[str, int]]:
        """Yield the words with which the text begins, each with its place."""


@dataclass(frozen=True, slots=True, eq=False)
class WordTable:
    """Vectors, weights and frequencies of words. Thread-safe."""

    trie: Trie
    levels: NDArray[np.int8]
    """Direction of each word's vector, shape (words, dimension)."""
    weights: NDArray[np.uint16]
    """Factor of each word's direction in the sum of a text, shape (words,): low for words that say little."""
    costs: NDArray[np.float32]
    """Negative logarithm of each word's frequency, shape (words,), by which Japanese is divided into words."""

    @property
    def dimension(self) -> int:
        """Return the dimension of the vectors."""
        return int(self.levels.shape[1])

    def words(self, text: str) -> Words:
        """Return the words of a text, read-only. Linear time. Those of short texts are cached, because names, keywords
        and phrases of definitions are compared again and again.
        """
        return _words_of_short(self, text) if len(text) <= _SHORT_TEXT else self._words(text)

    def _words(self, text: str) -> Words:
        folded = plain_letters(text[:LONGEST_TEXT]).casefold()
        places: list[int] = []
        for match in _PIECE.finditer(folded):
            if match["cjk"]:
                places += self._japanese(match["cjk"])
            elif match["other"]:
                places += _overlapping(match["other"])
            else:
                places += self._spaced(match.group())
        words = np.array(places, np.int64)
        words.flags.writeable = False
        return words

    def vectors(self, texts: Sequence[Words], dimension: int | None = None) -> Floats:
        """Return the vectors of texts, shape (n, dimension): the weighted sums of their words, of length 1.

        A text without words is a row of zeros. With `dimension`, only that many coordinates are used.
        """
        size = dimension or self.dimension
        sums = np.zeros((len(texts), size), np.float64)
        for row, words in enumerate(texts):
            if len(words):
                known, unknown = words[words >= 0], words[words < 0]
                total = self.weights[known].astype(np.float64) @ self.levels[known, :size].astype(np.float64)
                for word in unknown.tolist():
                    total = total + UNKNOWN_WEIGHT * _hashed_levels(word, self.dimension)[:size]
                sums[row] = total
        # The sum of squares is rounded once, so it does not depend on its order, which depends on the number of rows.
        lengths = np.sqrt(np.array([fsum(row) for row in sums * sums], np.float64))[:, None]
        rows: Floats = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0).astype(np.float32)
        return rows

    def weighted(self, words: Words) -> NDArray[np.float64]:
        """Return what each word adds to the vector of a text, shape (n, dimension). The numbers are whole."""
        places = np.where(words >= 0, words, 0)
        rows: NDArray[np.float64] = self.levels[places] * self.weights[places].astype(np.float64)[:, None]
        for at in np.flatnonzero(words < 0).tolist():
            rows[at] = UNKNOWN_WEIGHT * _hashed_levels(int(words[at]), self.dimension)
        return rows

    def importance(self, words: Words) -> Floats:
        """Return how much each word says about a text, shape (n,), in the units of `weights`."""
        known = words >= 0
        found = np.full(len(words), UNKNOWN_WEIGHT * _UNKNOWN_LEVEL * self.dimension**0.5, np.float32)
        places = words[known]
        found[known] = self.weights[places] * np.linalg.norm(self.levels[places].astype(np.float32), axis=1)
        return found

    def cosines(self, words: Words, others: Words) -> Floats:
        """Return the cosine of each word with each of the others, shape (words, others); 0 for unknown words."""
        known = words >= 0
        levels = self.levels[np.where(known, words, 0)].astype(np.float32)
        lengths = np.sqrt(np.einsum("wd,wd->w", levels, levels))
        scales = np.divide(known, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        found: Floats = (levels @ self.directions(others).T) * scales[:, None]
        return found

    def directions(self, words: Words) -> Floats:
        """Return vectors of length 1 for words, shape (n, dimension). Unknown words are rows of zeros."""
        rows = np.zeros((len(words), self.dimension), np.float32)
        known = words >= 0
        rows[known] = self.levels[words[known]]
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        scaled: Floats = np.divide(rows, lengths, out=rows, where=lengths > 0)
        return scaled

    def _spaced(self, piece: str) -> Iterator[int]:
        """Yield the places of a word of a script with spaces: of the whole, or else of its parts."""
        plain = piece.replace("’", "'")
        for form in (plain, _ENDING.sub("", plain)):
            if (index := self.trie.get(form)) is not None:
                yield index
                return
        parts = re.split(r"['.-]", _ENDING.sub("", plain))
        if len(parts) > 1:
            yield _hash_of(plain)
        for part in parts:
            index = self.trie.get(part)
            yield _hash_of(stem(part)) if index is None else index

    def _japanese(self, run: str) -> list[int]:
        return list(_segmented(self, run)) if len(run) <= _CACHED_RUN else self._segment(run)

    def _segment(self, run: str) -> list[int]:
        """Return the places of the words into which a run of kana and kanji is divided: the most probable ones, if
        words follow each other by chance.
        """
        size = len(run)
        least, back = [0.0, *[inf] * size], [(0, _NO_WORD)] * (size + 1)
        for start in range(size):
            until = least[start]
            if until + _UNKNOWN_COST < least[start + 1]:
                least[start + 1], back[start + 1] = until + _UNKNOWN_COST, (start, _NO_WORD)
            for word, index in self.trie.iter_prefixes_with_ids(run[start : start + LONGEST_JAPANESE_WORD]):
                end, cost = start + len(word), until + self.costs.item(index)
                if cost < least[end]:
                    least[end], back[end] = cost, (start, index)
        found, end = list[int](), size
        while end:
            start, index = back[end]
            found.append(_hash_of(run[start]) if index == _NO_WORD else index)
            end = start
        return found[::-1]


_CACHED_RUN: Final = 32
_SHORT_TEXT: Final = 100
"""Maximum number of characters of a text whose words are cached."""
_NO_WORD: Final = -1
_CLUSTER: Final = 3
"""Number of characters of a piece: about a syllable."""


@lru_cache(maxsize=16_384)
def _segmented(table: WordTable, run: str) -> tuple[int, ...]:
    return tuple(table._segment(run))  # noqa: SLF001 - the cache of this method


@lru_cache(maxsize=16_384)
def _words_of_short(table: WordTable, text: str) -> Words:
    return table._words(text)  # noqa: SLF001 - the cache of this method


@cache
def word_table() -> WordTable:
    """Return the built-in table. Its files are mapped into memory, which takes a millisecond."""
    folder = Path(str(resources.files("nemuri_domain.language.words")))
    trie = marisa_trie.Trie().mmap(str(folder / "words.trie"))
    return WordTable(
        trie, *(np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r")) for name in ("vectors", "weights", "costs"))
    )


def _overlapping(run: str) -> Iterator[int]:
    """Yield the places of the overlapping pieces of a run of a script without spaces that the table does not know."""
    for start in range(max(1, len(run) - _CLUSTER + 1)):
        yield _hash_of(run[start : start + _CLUSTER])


def _hash_of(word: str) -> int:
    return -crc32(word.encode("utf-8", "surrogatepass")) - 1


@lru_cache(maxsize=16_384)
def _hashed_levels(word: int, dimension: int) -> NDArray[np.int64]:
    """Return the vector of an unknown word: a sign for each coordinate, from its hash by SplitMix64."""
    states = np.arange(1, dimension // 64 + 2, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(-word)
    states = (states ^ (states >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    states = (states ^ (states >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits = np.unpackbits((states ^ (states >> np.uint64(31))).astype("<u8").view(np.uint8))[:dimension]
    return np.where(bits, _UNKNOWN_LEVEL, -_UNKNOWN_LEVEL).astype(np.int64)
