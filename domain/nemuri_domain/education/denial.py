"""Denial of a keyword in an answer, by the words around it, English and Japanese."""

import re
from collections.abc import Iterable
from typing import Final

from nemuri_domain.language.tokenization import stem
from nemuri_domain.language.word_files import WordFile
from nemuri_domain.language.writing_systems import UNSPACED, WORD

_WORDS = re.compile(rf"{WORD}+(?:'{WORD}+)?")
_DENIALS: Final = WordFile("education/denial")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_AFTER: Final = 3
"""Number of words after a keyword within which a denial refers to it ("the price does not matter")."""


def is_denied(text: str, forms: Iterable[str]) -> bool:
    """Return True if the text mentions one of the forms, and denies each mention. `text` and `forms` are case-folded.

    In English, a denying word comes before the mention, with articles and prepositions between them ("not on the
    price"), or an auxiliary and a denying word come right after it ("the price does not matter"). In Japanese, a
    negative ending comes within a few characters after it. "Not only" and its Japanese forms deny nothing.
    """
    found = [denied for form in forms for denied in _mentions(text, form)]
    return bool(found) and all(found)


def _mentions(text: str, form: str) -> list[bool]:
    """Return for each mention of a form whether it is denied."""
    if _UNSPACED.search(form):
        closed, written = "".join(text.split()), "".join(form.split())
        return [_denied_in_japanese(closed, match.end()) for match in re.finditer(re.escape(written), closed)]
    wanted, found = [stem(word) for word in _WORDS.findall(form)], list[bool]()
    for clause in _DENIALS.pattern("clause end").split(text) if wanted else ():
        words = _WORDS.findall(clause)
        stems = [stem(word) for word in words]
        places = (at for at in range(len(stems) - len(wanted) + 1) if stems[at : at + len(wanted)] == wanted)
        found += [_denied_in_english(words, at, at + len(wanted)) for at in places]
    return found


def _denied_in_english(words: list[str], start: int, end: int) -> bool:
    index = start - 1
    while index >= 0 and words[index] in _DENIALS.word_set("between"):
        index -= 1
    if index >= 0 and _denies(words[index]):
        return words[index + 1 : index + 2] != ["only"]
    after = words[end : end + _AFTER]
    for at, word in enumerate(after):
        if _denies(word):
            return after[at + 1 : at + 2] != ["only"]
        if word not in _DENIALS.word_set("auxiliary"):
            return False
    return False


def _denies(word: str) -> bool:
    return word in _DENIALS.word_set("denying") or word.endswith("n't")


def _denied_in_japanese(text: str, end: int) -> bool:
    match = _DENIALS.pattern("denied behind").match(text, end)
    return match is not None and not _DENIALS.pattern("not denied").search(text, end, match.end() + 4)
