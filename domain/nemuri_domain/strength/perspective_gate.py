"""The gate that a perspective opens: memories that answer a query in other words of the same perspective (document 000
§3.4).

The keywords of a perspective are words for one subject. A query that has one of them is also about memories that have
another one: "any delay?" finds "Halvorsen ships late" if *delay* and *late* are keywords of one perspective. A query
that has none of the keywords is of another field, and so is a query of which a keyword is only a small part: "what does
a flight to Lima cost?" finds nothing by the perspective *cost* of a buyer of steel.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.agents import Perspective
from nemuri_domain.language.inverted_index import ADDED_TEXTS, InvertedIndex
from nemuri_domain.language.tokenization import terms, topic_weight
from nemuri_domain.language.word_lists import GENERAL_WORDS
from nemuri_domain.language.writing_systems import KANJI

Keyword = frozenset[str]
"""The terms of one keyword."""
OTHER_WORDS: Final = 0.8
"""Weight of a keyword that a memory has in place of the query's. A keyword must then be a third of a short query; a
quarter is not enough, nor is one of three foreign words.
"""
COMMON: Final = 0.5
"""Share of the memories from which a keyword is too common to say anything about a memory. As for the idf, a small
index counts as larger by `ADDED_TEXTS`.
"""
_KANJI_PAIR = re.compile(f"[{KANJI}]{{2}}")


@dataclass(frozen=True, slots=True)
class PerspectiveWords:
    """The words of a perspective: its name and its keywords."""

    keywords: tuple[Keyword, ...]


@lru_cache(maxsize=1_024)
def perspective_words(perspectives: tuple[Perspective, ...]) -> tuple[PerspectiveWords, ...]:
    """Return the words of each perspective. Words that tell nothing about a subject are left out."""
    return tuple(
        PerspectiveWords(tuple(dict.fromkeys(filter(None, map(_keyword, (each.name, *each.keywords))))))
        for each in perspectives
    )


def shares_by_perspective(
    postings: InvertedIndex, query: Sequence[str], perspectives: Sequence[PerspectiveWords], rows: int
) -> NDArray[np.float32]:
    """Return the share of the query that each of the rows 0 … `rows` - 1 has, in the query's words or in others of a
    perspective, shape (rows,), 0 to 2.

    It is `InvertedIndex.shares` plus the share of the query that are keywords (`_share_of_keywords`), for a row that
    has another keyword of the same perspective. A row counts under its best perspective, and is 0 if it has none: a
    perspective admits only memories of its own.
    """
    asked, found = frozenset(query), np.zeros(rows, np.float32)
    for each in perspectives:
        said = [keyword for keyword in each.keywords if keyword <= asked]
        if said:
            others = [keyword for keyword in each.keywords if not keyword <= asked]
            share = OTHER_WORDS * _share_of_keywords(postings, asked, said)
            found = np.maximum(found, np.where(_having_one(postings, others, rows), share, 0)).astype(np.float32)
    if not found.any():
        return found
    return np.where(found > 0, found + postings.shares(query, rows), 0).astype(np.float32)


def _share_of_keywords(postings: InvertedIndex, asked: frozenset[str], said: Sequence[Keyword]) -> float:
    """Return the share of a query that are these keywords, 0 to 1.

    A keyword weighs as much as its rarest term, so that a long word in katakana, of many bigrams, counts once. General
    words do not count, nor do the bigrams between a keyword and its neighbour (延対 of 遅延対応).
    """
    weights = postings.weights(asked)
    inside = frozenset[str]().union(*said)
    edges = {term[0] for term in inside} | {term[-1] for term in inside}
    others = [
        weight
        for term, weight in weights.items()
        if term not in inside
        and term not in _general()
        and not (_KANJI_PAIR.fullmatch(term) and edges.intersection(term))
    ]
    named = [max(weights.get(term, 0.0) for term in keyword) for keyword in said]
    return min(sum(named) / postings.full_weight((*named, *others)), 1.0)


def _having_one(postings: InvertedIndex, keywords: Iterable[Keyword], rows: int) -> NDArray[np.bool_]:
    """Return the mask of the rows that have one of these keywords, common ones excepted."""
    found = np.zeros(rows, np.bool_)
    for keyword in keywords:
        having = postings.rows_with(keyword, rows)
        if having.sum() < COMMON * (len(postings) + ADDED_TEXTS):
            found |= having
    return found


def _keyword(text: str) -> Keyword:
    return frozenset(term for term in terms(text) if topic_weight(term))


@cache
def _general() -> frozenset[str]:
    return frozenset(term for word in GENERAL_WORDS for term in terms(word))
