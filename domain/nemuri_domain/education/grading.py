"""Grading of answers: an answer is right if it contains all required keywords (document 000 §4.1)."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from nemuri_domain.language.citations import without_citations
from nemuri_domain.language.tokenization import stem
from nemuri_domain.language.writing_systems import CJK, WORD

_WORDS = re.compile(rf"{WORD}+")
_NUMERIC: Final = re.compile(r"(?<![0-9A-Za-z_.])[0-9]+(?:[.,][0-9]+)*")
_CJK = re.compile(f"[{CJK}]")


def missing_keywords(keywords: Iterable[str], answer: str) -> tuple[str, ...]:
    """Return the keywords that the answer does not contain, in the order of `keywords`.

    Case, character width (NFKC) and citation labels such as [m1] are ignored. A keyword of words matches whole words
    with the same stems, adjacent and in order. A keyword that is a number matches only the whole number. A keyword with
    CJK characters or without letters matches anywhere in the text, ignoring spaces.
    """
    said = _folded(without_citations(answer))
    stems, numbers, closed = _stems(said), set(_NUMERIC.findall(said)), _closed(said)
    return tuple(each for each in keywords if not _contains(_folded(each), stems, numbers, closed))


def is_right(question: str, keywords: Sequence[str], answer: str, *, drew_on_something: bool) -> bool:
    """Return True if an answer contains all keywords and is not just an echo of the question.

    It counts as an echo if it used no source (`drew_on_something` is False) and the question contains all keywords too.
    """
    if missing_keywords(keywords, answer):
        return False
    return drew_on_something or bool(missing_keywords(keywords, question))


def _contains(keyword: str, stems: list[str], numbers: set[str], closed: str) -> bool:
    if _NUMERIC.fullmatch(keyword):
        return keyword in numbers
    if _CJK.search(keyword) or not _WORDS.search(keyword):
        return _closed(keyword) in closed
    wanted = _stems(keyword)
    return any(stems[at : at + len(wanted)] == wanted for at in range(len(stems) - len(wanted) + 1))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


def _closed(text: str) -> str:
    return "".join(text.split())


def _stems(text: str) -> list[str]:
    return [stem(word) for word in _WORDS.findall(text)]
