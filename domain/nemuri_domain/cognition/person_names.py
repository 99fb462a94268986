"""People by name: agents know each other, and are known to models, by names that are unique in their society."""

import re
from collections.abc import Iterable
from typing import Final

_WORD: Final = re.compile(r"\w+")


def called(words: str, names: Iterable[str]) -> str | None:
    """Return the name that the words mean: itself, the longest that they hold, or the only one that holds them.

    Case and punctuation do not count. None where the words mean none of the names, or several alike.
    """
    said, known = parts(words), {name: parts(name) for name in names}
    if not said:
        return None
    if same := [name for name, each in known.items() if each == said]:
        return same[0]
    if held := [name for name, each in known.items() if holds(said, each)]:
        return max(held, key=lambda name: len(known[name]))
    wider = [name for name, each in known.items() if holds(each, said)]
    return wider[0] if len(wider) == 1 else None


def parts(words: str) -> tuple[str, ...]:
    """Return the words of a name, or of what was said, without case and punctuation."""
    return tuple(_WORD.findall(words.casefold()))


def holds(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Return whether all parts of a name stand side by side among the words."""
    wide = len(name)
    return bool(name) and any(words[start : start + wide] == name for start in range(len(words) - wide + 1))
