"""What repeats the request, or asks for something itself: no answer, although it has all the request's words."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from nemuri_domain.language.request_items import asks, listed_items

NEARLY: Final = 0.8
"""The share of a sentence's letters that is a request, from which on it is the request again."""
_STATED: Final = (".", "!", "。", "．", "！", "｡")


def echoes(sentence: str, asked: Iterable[str]) -> bool:
    """Whether the sentence is a question or a request, or is nearly one of those asked.

    A whole sentence that asks nothing says something, even where the request says it too.
    """
    if asks(sentence):
        return True
    if sentence.endswith(_STATED):
        return False
    said = _folded(sentence)
    return any(each in said and len(each) >= NEARLY * len(said) for each in map(_folded, asked) if each)


def asked_in(text: str, asked: Sequence[str]) -> tuple[str, ...]:
    """All items that the text lists, where some of them are what is asked: then it is a list of requests."""
    listed = listed_items(text)
    wanted = {_folded(each) for each in asked}
    return listed if any(_folded(each) in wanted for each in listed) else ()


def within(sentence: str, items: Iterable[str]) -> bool:
    """Whether the sentence is one of the items or a part of one."""
    said = _folded(sentence)
    return any(said in _folded(each) for each in items)


def _folded(text: str) -> str:
    """Its letters and digits, NFKC and case-folded."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
