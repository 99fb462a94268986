"""Tokenization for lexical search: stemmed words, identifiers and CJK bigrams, and the weight of each of these
terms.
"""

import re
import threading
from collections import Counter
from functools import cache, lru_cache
from typing import Final

import Stemmer

from nemuri_domain.language.word_files import COMMON
from nemuri_domain.language.writing_systems import CJK, HIRAGANA, KANJI, LETTERS, UNSPACED, plain_letters

TERM_LIMIT: Final = 64
"""Maximum characters of a term. A longer word is cut."""
GRAMMAR_TERM: Final = re.compile(f"[{HIRAGANA}].?")
"""A term that begins with hiragana. It is mostly a particle or an ending (です, では)."""
_LONE_KANJI = re.compile(f"(?<![{KANJI}])[{KANJI}](?![{KANJI}])")
HIRAGANA_ALONE: Final = 0.5
"""Weight of a term of hiragana. Terms of other scripts have weight 1."""
PARTICLE: Final = 0.125
"""Weight of a term of hiragana that is probably a particle or ends with a particle."""
_CACHED_WORD: Final = 256

_MIXED = re.compile(f"[{HIRAGANA}][^{HIRAGANA}]|[{CJK}](?<![{HIRAGANA}])[{HIRAGANA}]")
_PARTICLE = re.compile(f"を.|[{HIRAGANA}][はがをにのとでもへやか]")
_HIRAGANA = re.compile(f"[{HIRAGANA}]+")

_PIECE = re.compile(
    rf"(?P<unspaced>[{UNSPACED}]+)"
    r"|(?P<symbolic>(?<!\w)(?:[cC]\+\+|[cCfF]\#)(?!\w))"
    r"|(?P<number>(?<![\w.,])[0-9]{1,3}(?:,[0-9]{3})+(?![\w,]))"
    rf"|(?P<word>{LETTERS}(?:[.'’]{LETTERS})*)"
)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\WA-Za-z0-9_]+")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_NUMERIC = re.compile(r"[0-9.]+")

_lock = threading.Lock()


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, with repetitions, in NFKC, case-folded and without accents on Latin letters.
    Linear time, thread-safe.

    Words are Snowball stems; English stop words are left out. An identifier (`list.append`, `__init__`, `userName`)
    gives itself and then its parts. A number stays whole, without thousands separators. A run of a script without
    spaces, or of hangul, gives its character bigrams, then each kanji between other scripts (鍵は gives 鍵). A run of
    one character gives this character. A term has at most `TERM_LIMIT` characters.
    """
    found: list[str] = []
    for match in _PIECE.finditer(plain_letters(text)):
        piece = match.group()
        if match.lastgroup == "unspaced":
            found += [piece[i : i + 2] for i in range(len(piece) - 1)] or [piece]
            found += _LONE_KANJI.findall(piece) if len(piece) > 1 else ()
        elif match.lastgroup == "word":
            found += _word_terms(piece) if len(piece) <= _CACHED_WORD else _terms_of_word(piece)
        else:
            found.append(piece.casefold().replace(",", ""))
    return found


def content_terms(text: str) -> frozenset[str]:
    """Return the distinct terms of a text without grammar.

    Bigrams that begin with hiragana are mostly particles and endings (です, では). They are returned only if the text
    has no other terms.
    """
    every = frozenset(terms(text))
    return frozenset(term for term in every if not GRAMMAR_TERM.fullmatch(term)) or every


@lru_cache(maxsize=65_536)
def topic_weight(term: str) -> float:
    """Return the weight of a query's term, 0 to 1. It is high if the term says much about the topic.

    It is 0 for a term that only asks (教え of 教えて, どこ, *explain*), and for a bigram of hiragana and another
    script (鍵は, の在, 好き), because a kanji in it is a term of its own. It is less than 1 for hiragana alone, which
    is more often an ending than a word (おにぎり), and lowest if the term looks like a particle.
    """
    if term in _requests() or _MIXED.fullmatch(term):
        return 0.0
    if not _HIRAGANA.fullmatch(term):
        return 1.0
    return PARTICLE if _PARTICLE.fullmatch(term) else HIRAGANA_ALONE


@cache
def _requests() -> frozenset[str]:
    return frozenset(term for phrase in COMMON.words("request") for term in terms(phrase))


def term_counts(text: str) -> dict[str, int]:
    """Return the number of occurrences of each term of the text, in the order of first occurrence."""
    return dict(Counter(terms(text)))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the English Snowball stem of a case-folded word, cut to `TERM_LIMIT` characters. Other scripts are not
    stemmed.
    """
    with _lock:  # A stemmer is not thread-safe.
        return str(_stemmer().stemWord(word[:TERM_LIMIT]))


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english", 0)


@lru_cache(maxsize=65_536)
def _word_terms(word: str) -> tuple[str, ...]:
    return _terms_of_word(word)


def _terms_of_word(word: str) -> tuple[str, ...]:
    folded = word.casefold().replace("’", "'")
    if not ("." in word or "_" in word or _CAMEL.search(word)):
        return () if folded in COMMON.word_set("stop") or not folded.strip("_") else (stem(folded),)
    whole = folded[:TERM_LIMIT]
    if not folded.strip("_."):
        return ()
    if _NUMERIC.fullmatch(folded):
        return (whole,)
    parts = [part.casefold() for part in _PARTS.findall(word)]
    return (whole, *(stem(part) for part in parts if part not in COMMON.word_set("stop") and part != whole))
