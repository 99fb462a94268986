"""Whether an answer to an exercise is right (document 000 §4.1): whether it says what a right answer must say."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from nemuri_domain.language.citations import without_labels
from nemuri_domain.language.search_terms import stem
from nemuri_domain.language.writing_systems import CJK, WORD

_WORDS = re.compile(rf"{WORD}+")
_NUMERIC: Final = re.compile(r"(?<![0-9A-Za-z_.])[0-9]+(?:[.,][0-9]+)*")
_CJK = re.compile(f"[{CJK}]")


def missing(keywords: Iterable[str], answer: str) -> tuple[str, ...]:
    """Those of the keywords that the answer does not contain, in their own order.

    Width and case (NFKC) never matter. Words match whole words of the same stem, several of them in their order and
    side by side; a number matches a whole number; what has CJK characters in it, or no letter at all, matches
    anywhere, whatever the spaces. Labels of sources, as [m1], are no part of an answer.
    """
    said = _folded(without_labels(answer))
    stems, numbers, closed = _stems(said), set(_NUMERIC.findall(said)), _closed(said)
    return tuple(each for each in keywords if not _contains(_folded(each), stems, numbers, closed))


def right(question: str, keywords: Sequence[str], answer: str, *, drew_on_something: bool) -> bool:
    """Whether an answer is right: it lacks no keyword, and it is more than an echo of the question.

    An answer that drew on no source and has no keyword but those that the question gave says that nothing was found,
    in whatever words.
    """
    if missing(keywords, answer):
        return False
    return drew_on_something or bool(missing(keywords, question))


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
