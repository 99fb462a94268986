"""Detection of sentences in an answer that only repeat the request."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from nemuri_domain.language.request_items import is_request, listed_items

ECHO_RATIO: Final = 0.8
"""Minimum length of a question, as a share of the length of a sentence that contains it, for the sentence to repeat the
question.
"""
_STATED: Final = (".", "!", "。", "．", "！", "｡")


def is_echo(sentence: str, asked: Iterable[str]) -> bool:
    """Return True if the sentence is a question or a request itself, or nearly equals one of the questions in `asked`.

    A complete statement is never an echo, even if a question contains it.
    """
    if is_request(sentence):
        return True
    if sentence.endswith(_STATED):
        return False
    said = _folded(sentence)
    return any(each in said and len(each) >= ECHO_RATIO * len(said) for each in map(_folded, asked) if each)


def listed_requests(text: str, asked: Sequence[str]) -> tuple[str, ...]:
    """Return all items that the text lists, if at least one of them is a question in `asked`; otherwise none."""
    listed = listed_items(text)
    wanted = {_folded(each) for each in asked}
    return listed if any(_folded(each) in wanted for each in listed) else ()


def is_part_of_item(sentence: str, items: Iterable[str]) -> bool:
    """Return True if one of the items equals the sentence or contains it."""
    said = _folded(sentence)
    return any(said in _folded(each) for each in items)


def _folded(text: str) -> str:
    """Return only the letters and digits of a text, in NFKC and case-folded."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
