"""Information of a word by itself: little for a frequent or general word, much for a rare one, a name or a number.

The table `words/information.trie` has frequent words of some thirty languages (`python -m bench.word_information` makes
it). A word that is not in it is rare. Scripts without spaces are divided into words by frequency.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from nemuri_domain.language import words
from nemuri_domain.language.writing_systems import HANGUL, HIRAGANA, KANJI, KATAKANA, UNSPACED

TELLING: Final = 6.0
"""Information from which a word, or a run of words, tells something."""
JAPANESE, CHINESE, KOREAN, THAI, SPACED = "jckts"
"""Marks before the words of the table, by language. All languages with spaces have the same."""
_UNKNOWN: Final = {"kanji": 4.0, "hangul": 3.0, "katakana": 2.0, "hiragana": 2.4, "other": 1.2}
"""Information of a character that belongs to no known word, by script."""
_UNKNOWN_COST: Final = 15.0
_BOUNDARY_COST: Final = 3.0
"""Cost of each word beside its frequency, without which rare words are divided into particles."""
_LONGEST: Final = 24
_LONGEST_KANJI: Final = 3
_SHORT_KATAKANA: Final = 2
_KANJI_ALONE: Final = re.compile(f"[{KANJI}]+")
_RARE: Final = TELLING + 1
_SCRIPTS: Final = (("kanji", KANJI), ("hangul", HANGUL), ("katakana", KATAKANA), ("hiragana", HIRAGANA))
_NUMBER_BY_DIGITS: Final = (0.0, 1.5, 4.0, 6.0)
"""Information of a number by its count of digits. One with more digits tells as much as an unknown word."""


class Word(NamedTuple):
    """A word of a text."""

    start: int
    end: int
    information: float


def number_information(digits: int) -> float:
    """Return how much a number with that many digits tells."""
    return _NUMBER_BY_DIGITS[digits] if digits < len(_NUMBER_BY_DIGITS) else _RARE


def word_information(word: str) -> float:
    """Return how much a word of a script with spaces tells. It is case-folded."""
    found = _table().get(SPACED + word)
    return found[0][0] / 10 if found else _RARE if len(word) > 1 else 0.0


def run_word_information(word: str) -> float:
    """Return how much a word of katakana tells: as much as its parts, if they are known words."""
    if found := _table().get(JAPANESE + word):
        return float(found[0][0] / 10)
    parts = divided(word, japanese=True)
    known = all(part.end - part.start > 1 for part in parts)
    return sum(part.information for part in parts) if known else _RARE if len(word) > _SHORT_KATAKANA else TELLING / 2


def divided(run: str, *, japanese: bool) -> list[Word]:
    """Return the words into which a run without spaces is divided, the most probable ones. Linear time.

    Kanji are Japanese or Chinese, whatever is more probable, if nothing else says that they are Japanese. A character
    that belongs to no known word is a word.
    """
    found, cost = _divided(run, JAPANESE)
    if japanese or not re.search(f"[{KANJI}]", run):
        return found
    chinese, chinese_cost = _divided(run, CHINESE)
    return chinese if chinese_cost < cost else found


def _divided(run: str, language: str) -> tuple[list[Word], float]:
    """Return the most probable words of a run, and their cost."""
    size = len(run)
    least, back = [0.0, *[float("inf")] * size], [Word(0, 0, 0.0)] * (size + 1)
    for start in range(size):
        unknown = (start + 1, _unknown_information(run[start]), _UNKNOWN_COST)
        for end, information, cost in (*_beginnings(run, start, language), unknown):
            whole = least[start] + cost + _BOUNDARY_COST
            if whole < least[end]:
                least[end], back[end] = whole, Word(start, end, information)
    found, end = list[Word](), size
    while end:
        found.append(back[end])
        end = back[end].start
    return found[::-1], least[size]


def _beginnings(run: str, start: int, language: str) -> list[tuple[int, float, float]]:
    """Return the end, the information and the cost of each known word that begins at `start`.

    A word of many kanji is left out: it is divided, because a text may repeat a part of it.
    """
    table, mark, found = _table(), _mark(run[start], language), list[tuple[int, float, float]]()
    for key in table.prefixes(mark + run[start : start + _LONGEST]):
        information, cost = table[key][0]
        if len(key) - 1 <= _LONGEST_KANJI or not _KANJI_ALONE.fullmatch(key, 1):
            found.append((start + len(key) - 1, information / 10, cost / 10))
    return found


def _mark(character: str, language: str) -> str:
    if re.match(f"[{HANGUL}]", character):
        return KOREAN
    return language if re.match(f"[{KANJI}{HIRAGANA}{KATAKANA}]", character) else THAI


def _unknown_information(character: str) -> float:
    script = next((name for name, pattern in _SCRIPTS if re.match(f"[{pattern}]", character)), "other")
    return _UNKNOWN[script] if re.match(f"[{UNSPACED}]", character) else 0.0


@cache
def _table() -> Any:
    """Return the table. The file is mapped into memory."""
    import marisa_trie

    return marisa_trie.RecordTrie("<BB").mmap(str(Path(words.__file__).with_name("information.trie")))
