"""The words of the table, with their frequencies."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.word_table import WordTable
from nemuri_domain.language.writing_systems import HIRAGANA, KANJI, KATAKANA

WORDS: Final = 45_000
"""Number of words of each language."""
LONGEST_LIST: Final = 90_000
_ENGLISH = re.compile(r"[a-z][a-z']+")
_JAPANESE = re.compile(f"[{HIRAGANA}{KATAKANA}{KANJI}]+")


@dataclass(frozen=True)
class Vocabulary:
    """Words, English ones first, each language from the most frequent word on."""

    words: Sequence[str]
    english: int
    """Number of English words."""
    zipf: NDArray[np.float32]
    """Frequency of each word: log10 of its occurrences in a billion words."""

    @classmethod
    def of_wordfreq(cls) -> Self:
        """Return the most frequent words of wordfreq."""
        import wordfreq  # type: ignore[import-untyped, unused-ignore]

        found, frequencies = list[str](), list[float]()
        for language, pattern in (("en", _ENGLISH), ("ja", _JAPANESE)):
            known: Mapping[str, float] = wordfreq.get_frequency_dict(language, "best")
            some = [each for each in wordfreq.top_n_list(language, LONGEST_LIST) if pattern.fullmatch(each)]
            english = frozenset(found)
            fresh = [each for each in dict.fromkeys(some) if each not in english][:WORDS]
            found += fresh
            frequencies += [9 + math.log10(known.get(each, 1e-9)) for each in fresh]
        return cls(found, WORDS, np.array(frequencies, np.float32))

    @property
    def costs(self) -> NDArray[np.float32]:
        """Return the negative natural logarithm of each word's frequency."""
        return (-(self.zipf - 9) * math.log(10)).astype(np.float32)

    @cached_property
    def places(self) -> dict[str, int]:
        """Return the place of each word."""
        return {each: place for place, each in enumerate(self.words)}

    @cached_property
    def reader(self) -> WordTable:
        """Return a table without vectors, which divides texts into words as the finished table will."""
        import marisa_trie

        trie: Any = marisa_trie.Trie(list(self.words))
        order = np.argsort([trie[word] for word in self.words])
        self.__dict__["order"] = order
        nothing = np.zeros((len(order), 1), np.int8), np.zeros(len(order), np.uint16)
        return WordTable(trie, *nothing, self.costs[order])

    def known_words(self, text: str) -> NDArray[np.intp]:
        """Return the places of the words of a text that are in the vocabulary."""
        found = self.reader.words(text)
        order: NDArray[np.intp] = self.__dict__["order"]
        return order[found[found >= 0]]
