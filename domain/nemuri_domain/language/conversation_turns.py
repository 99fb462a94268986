"""Recognition of the turns of a conversation: lines that begin with the name of a speaker."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

LEAST_TURNS: Final = 3
"""Minimum number of lines that begin with the name of a speaker, for a text to be a conversation."""
MOST_SPEAKERS: Final = 60
"""Maximum number of different speakers. More names are keys of records."""

_WORD = r"[^\W\d_][\w.'’\-]{0,29}"
_NOTE = r"[ \t]*[(（\[][^)）\]\n]{1,60}[)）\]]"
_STAMP = (
    r"(?:\[[^\]\n]{1,40}\]|\([^)\n]{1,40}\)|[A-Z][0-9]{1,3}:[0-9]{1,4}"
    r"|(?=[^\n]{0,30}[0-9])[0-9/:.,apmAPM\-–年月日 ]{3,30})[ \t]*[-–—|]?[ \t]*"
)
_TURN = re.compile(
    rf"[ \t]*(?:[-*•][ \t]+)?(?:{_STAMP})?\*{{0,2}}(?P<name>{_WORD}(?:[ \u3000]{_WORD}){{0,3}})(?:{_NOTE})?[ \t]*"
    rf"(?:\*{{2}}[ \t]*[:：]|[:：]\*{{0,2}}|\*{{2}}(?=(?:{_NOTE})?[ \t]*$))(?!//)"
)


def speaker_of(line: str) -> str | None:
    """Return the name with which a line begins, if a colon follows it or it stands alone in bold; otherwise None.

    A time, a date or a label in brackets may stand before the name, a remark in brackets behind it.
    """
    found = _TURN.match(line)
    return found["name"] if found else None


def speakers_of(lines: Sequence[str]) -> frozenset[str]:
    """Return the names of the speakers; empty if the lines are no conversation.

    In a conversation at least two names occur, and either two of them repeatedly, or at least half of the lines begin
    with a name.
    """
    named = Counter(name for line in lines if (name := speaker_of(line)))
    often = frozenset(name for name, number in named.items() if number > 1)
    turns, written = sum(named.values()), sum(bool(line.strip()) for line in lines)
    if len(named) < 2 or turns < LEAST_TURNS or not often or not (len(often) > 1 or 2 * turns > written):
        return frozenset()
    known = frozenset(named) if len(named) <= MOST_SPEAKERS else often
    return known if len(known) <= MOST_SPEAKERS else frozenset()
