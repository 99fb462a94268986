"""Lexical comparison of texts with a prompt: whether a text is about its topic, and how much of the prompt it has."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.tokenization import terms, topic_weight
from nemuri_domain.language.word_files import COMMON
from nemuri_domain.language.word_table import MEDIAN_IMPORTANCE, Words, word_table
from nemuri_domain.language.writing_systems import UNSPACED
from nemuri_domain.retrieval.inverted_index import ADDED_TEXTS, rarity

PROMPT_CHARACTERS: Final = 4_000
"""Maximum characters of a prompt whose words are compared."""
_MIN_SHARE: Final = 0.3
"""Minimum share of the weight of all words of the prompt that a text must have."""
_SUFFICIENT_WEIGHT: Final = 6.0
"""Weight of shared words that is enough for a prompt of any length."""
_MIN_WEIGHT: Final = 1.25
"""Minimum weight of shared words, unless the text shares most words of a short prompt."""
_MAINLY: Final = 0.6
_ONE: Final = 0.9
_ALL_NAMED: Final = 0.6
"""Minimum weight of shared words if the text has every word that names the topic."""
ORDINARY_WEIGHT: Final = 0.3
"""Maximum weight of a word that does not name a topic by itself."""
_PARTS_WEIGHT: Final = 0.5
"""Weight of all parts of an identifier together. The identifier itself has weight 1."""
_BIGRAM: Final = 0.6
"""Factor on the weight of a bigram of a script without spaces, because one word gives several bigrams."""
LIKE: Final = 0.57
"""Cosine with a listed word from which a word counts as one of them: *failing* as *fail*, 失敗した as 失敗."""
_UNSPACED = re.compile(f"[{UNSPACED}]")


def prompt_terms(prompt: str) -> dict[str, float]:
    """Return the terms of a prompt that say what it is about, each with its weight, more than 0 and at most 1."""
    found: dict[str, float] = {}
    for term, share in _with_shares(terms(prompt[:PROMPT_CHARACTERS])):
        if term in COMMON.word_set("general") or term in _terms_of("agreement") or term.isdecimal():
            continue
        weight = topic_weight(term) * (_BIGRAM if _UNSPACED.match(term) else 1.0) * share
        weight = min(weight, ORDINARY_WEIGHT) if term in _terms_of("ordinary") else weight
        if weight > 0:
            found[term] = max(weight, found.get(term, 0.0))
    return found


def names_topic(asked: Mapping[str, float]) -> bool:
    """Return True if one of the terms of a prompt names a topic, so that it is not only about the work as such."""
    return any(weight > ORDINARY_WEIGHT for weight in asked.values())


def shared_terms(asked: Collection[str], text: str) -> frozenset[str]:
    """Return those of the terms `asked`, which come from `prompt_terms`, that a text has."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return frozenset(term for term in asked if _occurs(term, folded))


def shares_topic(asked: Mapping[str, float], shared: Collection[str]) -> bool:
    """Return True if a text that has the terms `shared` of the prompt's terms `asked` is about their topic."""
    total, weight = sum(asked.values()), sum(asked[term] for term in shared)
    named = [term for term, term_weight in asked.items() if term_weight > ORDINARY_WEIGHT]
    few = weight >= _ONE and weight >= _MAINLY * total
    few = few or (weight >= _ALL_NAMED and bool(named) and all(term in shared for term in named))
    return few or (weight >= _MIN_WEIGHT and weight >= min(_MIN_SHARE * total, _SUFFICIENT_WEIGHT))


def topic_scores(asked: Mapping[str, float], texts: Sequence[Collection[str]]) -> list[float]:
    """Return how much each of several texts has of the prompt's terms `asked`, as a share of the best text, 0 to 1.

    `texts` are the terms that each text shares. A term counts with its weight times its idf among these texts
    (`InvertedIndex.shares`).
    """
    holding, every = Counter(term for shared in texts for term in shared), len(texts) + ADDED_TEXTS
    weights = {term: asked[term] * rarity(every, number) for term, number in holding.items()}
    sums = [sum(weights[term] for term in shared) for shared in texts]
    best = max(sums, default=0.0) or 1.0
    return [total / best for total in sums]


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


def _occurs(term: str, text: str) -> bool:
    if _UNSPACED.match(term):
        return term in text
    return _beginning(term) in text and _pattern(term).search(text) is not None


def _beginning(term: str) -> str:
    """Return the beginning that all words with this stem have: `happ` for `happi`, the stem of `happy`."""
    return term.removesuffix("i") if len(term) > 4 else term


@lru_cache(maxsize=4_096)
def _pattern(term: str) -> re.Pattern[str]:
    """Return the pattern of the words with the stem `term`. After a short stem, a word may have only a grammatical
    ending.
    """
    begins = re.escape(_beginning(term))
    ends = "" if len(term) > 4 else r"(?:e|e?s|ed|ing|er|y|ies)?(?![a-z0-9])"
    return re.compile(rf"(?<![a-z0-9]){begins}{ends}")


def _with_shares(found: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield each term with its share of a whole word: less than 1 for a part of the identifier before it."""
    whole, parts = "", list[str]()
    for term in (*found, ""):
        if term and term in whole and term != whole and not _UNSPACED.match(term):
            parts.append(term)
            continue
        yield from ((part, _PARTS_WEIGHT / len(parts)) for part in parts)
        if term:
            yield term, 1.0
        whole, parts = term, []


@cache
def _terms_of(section: str) -> frozenset[str]:
    return frozenset(terms(" ".join(COMMON.words(section))))


@cache
def _general() -> NDArray[np.float32]:
    """Return the directions of the words that name no topic, shape (words, dimension)."""
    table = word_table()
    every = (" ".join(COMMON.words("ordinary")), " ".join(COMMON.words("agreement")))
    single = (word for section in ("general", "request", "stop") for word in COMMON.words(section))
    words = np.unique(np.concatenate([table.words(question) for question in (*every, *single)]))
    return table.directions(words[words >= 0])
