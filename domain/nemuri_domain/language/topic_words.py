"""The words of a text that name a topic, as distinct from words that every conversation has."""

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.topic_check import EMPTY_WORDS, ORDINARY_WORDS
from nemuri_domain.language.word_lists import GENERAL_WORDS, REQUESTS, STOP_WORDS
from nemuri_domain.language.word_table import MEDIAN_IMPORTANCE, Words, word_table

LIKE: Final = 0.57
"""Cosine with a listed word from which a word counts as one of them: *failing* as *fail*, 失敗した as 失敗."""


def topic_words(words: Words) -> Words:
    """Return those of a text's words that name a topic, in order. An unknown word names one."""
    if not len(words):
        return words
    near = word_table().directions(words) @ _general().T
    kept: Words = words[near.max(axis=1) < LIKE]
    return kept


def topic_weight_of(words: Words) -> float:
    """Return how much words say together. A typical word of the table says 1."""
    return float(word_table().importance(words).sum()) / MEDIAN_IMPORTANCE


@cache
def _general() -> NDArray[np.float32]:
    """Return the directions of the words that name no topic, shape (words, dimension)."""
    table = word_table()
    every: Sequence[str] = (ORDINARY_WORDS, EMPTY_WORDS, *GENERAL_WORDS, *REQUESTS, *STOP_WORDS)
    words = np.unique(np.concatenate([table.words(each) for each in every]))
    return table.directions(words[words >= 0])
