"""Matching of agents' names. Names are unique in a society, and prompts use them instead of ids."""

import re
from collections.abc import Iterable
from typing import Final

_WORD: Final = re.compile(r"\w+")


def match_name(words: str, names: Iterable[str]) -> str | None:
    """Return the name that the words refer to; None if no name matches, or if several names contain the words.

    An equal name comes first, then the longest name that the words contain, then the only name that contains the words.
    Case and punctuation are ignored.
    """
    said, known = name_words(words), {name: name_words(name) for name in names}
    if not said:
        return None
    if same := [name for name, other in known.items() if other == said]:
        return same[0]
    if held := [name for name, other in known.items() if contains_name(said, other)]:
        return max(held, key=lambda name: len(known[name]))
    wider = [name for name, other in known.items() if contains_name(other, said)]
    return wider[0] if len(wider) == 1 else None


def name_words(words: str) -> tuple[str, ...]:
    """Return the words of a text, case-folded and without punctuation."""
    return tuple(_WORD.findall(words.casefold()))


def contains_name(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Return True if the words contain all words of a name, next to each other and in order."""
    wide = len(name)
    return bool(name) and any(words[start : start + wide] == name for start in range(len(words) - wide + 1))
