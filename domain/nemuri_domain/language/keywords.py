"""Keywords of a text in their original spelling, and search for known tags in a text."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from nemuri_domain.language.tokenization import TERM_LIMIT, stem
from nemuri_domain.language.word_files import COMMON
from nemuri_domain.language.writing_systems import HANGUL, HIRAGANA, KANJI, KATAKANA, WORD

_SYMBOLIC: Final = r"(?<!\w)(?:[cC]\+\+|[cCfF]\#)(?!\w)"
_CANDIDATE = re.compile(
    rf"(?P<katakana>[{KATAKANA}]{{2,}})|(?P<kanji>[{KANJI}]{{2,}})|(?P<hangul>[{HANGUL}]{{2,}})"
    rf"|(?P<symbolic>{_SYMBOLIC})|(?P<word>{WORD}+(?:[.'’-]{WORD}+)*)"
)
_IDENTIFIER = re.compile(r"\w[._]\w|__|[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z]|^[A-Z]{2,}$")
_NUMERALS = re.compile(r"[〇一二三四五六七八九十百千万億兆]+[年月日時分秒人個件回円]?")
_SPOKEN = re.compile(rf"{_SYMBOLIC}|{WORD}+")
_WORD = re.compile(rf"{WORD}+")
_SCRIPTS: Final = (*(re.compile(f"[{script}]") for script in (KATAKANA, KANJI, HIRAGANA, HANGUL)), _WORD)
_KATAKANA = re.compile(f"[{KATAKANA}]+")
_FULL_LENGTHS: Final = {"katakana": 6, "kanji": 4, "hangul": 4, "word": 8, "symbolic": 1}
"""Length in characters, by script, above which a word gets no more weight."""
_IDENTIFIER_WEIGHT: Final = 2.0
_SHORTEST_WORD: Final = 3
_LONGEST_RUN: Final = 16


def keywords(text: str, limit: int = 6) -> tuple[str, ...]:
    """Return up to `limit` keywords, best first: identifiers, content words, and runs of katakana, kanji or hangul.

    Inflected forms count as one keyword, which appears in its most frequent form. The weight is (1 + ln frequency) × (2
    for identifiers, otherwise 0.5 to 1.5 by length); ties are broken by first occurrence. Stop words, general words and
    numbers are left out.
    """
    counts: Counter[str] = Counter()
    weights: dict[str, float] = {}
    surfaces: dict[str, Counter[str]] = {}
    for key, surface, weight in _weighted(text):
        counts[key] += 1
        weights[key] = max(weight, weights.get(key, 0.0))
        surfaces.setdefault(key, Counter())[surface] += 1
    best = sorted(weights, key=lambda key: -weights[key] * (1 + math.log(counts[key])))
    return tuple(_form(surfaces[key]) for key in best[: max(limit, 0)])


def candidates(text: str) -> tuple[tuple[str, str], ...]:
    """Return every occurrence of a possible keyword as (key, word of the text). Inflected forms have the same key."""
    return tuple((key, surface) for key, surface, _ in _weighted(text))


def tags_in(tags: Iterable[str], text: str) -> tuple[str, ...]:
    """Return the tags that occur in the text as whole terms, in the order of `tags`.

    Both are compared in NFKC and case-folded. A Latin word matches a whole word, singular or plural. A katakana word
    matches a whole run of katakana, with or without a final ー. Any other CJK tag of two or more characters matches any
    substring; a CJK tag of one character matches a run of one character.
    """
    folded = _folded(text)
    said = {_singular(match.group()) for match in _SPOKEN.finditer(folded)}
    return tuple(tag for tag in tags if _occurs(_folded(tag), folded, said))


def _weighted(text: str) -> Iterator[tuple[str, str, float]]:
    for match in _CANDIDATE.finditer(unicodedata.normalize("NFKC", text)):
        kind, surface = match.lastgroup or "word", match.group()
        folded = surface.casefold().replace("’", "'").removesuffix("'s")
        surface = surface[: len(folded)]
        identifier = kind == "symbolic" or (kind == "word" and _IDENTIFIER.search(surface) is not None)
        if folded in COMMON.word_set("general"):
            continue
        if not (_is_word(folded, identifier) if kind == "word" else _is_run(surface)):
            continue
        length = 0.5 + min(1.0, len(surface) / _FULL_LENGTHS[kind])
        key = stem(folded) if kind == "word" and not identifier else folded
        yield key, surface, _IDENTIFIER_WEIGHT if identifier else length


def _is_run(surface: str) -> bool:
    return len(surface) <= _LONGEST_RUN and not _NUMERALS.fullmatch(surface)


def _is_word(folded: str, identifier: bool) -> bool:  # noqa: FBT001 - private, read at one place
    digits = sum(character.isdigit() for character in folded)
    letters = sum(character.isalpha() for character in folded)
    long_enough = len(folded) >= (2 if identifier else _SHORTEST_WORD)
    return long_enough and len(folded) <= TERM_LIMIT and letters > digits and folded not in COMMON.word_set("stop")


def _form(forms: Counter[str]) -> str:
    return min(forms, key=lambda form: (-forms[form], form != form.lower()))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _occurs(tag: str, text: str, said: set[str]) -> bool:
    if not tag:
        return False
    if _SPOKEN.fullmatch(tag):
        return _singular(tag) in said
    needle = tag.rstrip("ー") if _KATAKANA.fullmatch(tag) else tag
    at = text.find(needle) if needle else -1
    while at >= 0:
        end = at + len(needle)
        if _KATAKANA.fullmatch(needle) and text.startswith("ー", end):
            end += 1
        if not (_continues(text, at, needle) or _continues(text, end, needle)):
            return True
        at = text.find(needle, at + len(needle))
    return False


def _continues(text: str, edge: int, needle: str) -> bool:
    """Return True if a longer word of the text continues across this edge of `needle`."""
    if not 0 < edge < len(text):
        return False
    before, after = text[edge - 1], text[edge]
    if _WORD.fullmatch(before) and _WORD.fullmatch(after):
        return True
    strict = _SCRIPTS if len(needle) == 1 else _SCRIPTS[:1]
    return any(script.match(before) and script.match(after) for script in strict)


def _singular(word: str) -> str:
    if len(word) <= _SHORTEST_WORD or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ses", "xes", "zes", "ches", "shes")) else word[:-1]
