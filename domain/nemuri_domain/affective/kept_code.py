"""The code of a memory that compression keeps word for word: the commands and short blocks of code of a reply.

A summary of a fix without its command is no use. What does not fit is in the turn, which the log keeps.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from nemuri_domain.affective.concern_classifier import telling
from nemuri_domain.affective.spoken_text import without_code_blocks

CODE_LIMITS: Final = {2: 600, 3: 200}
"""Maximum characters of the kept code at each level of compression, with its fences."""
MAX_FRAGMENTS: Final = {2: 12, 3: 3}
"""Maximum number of blocks and commands at each level."""
_READ: Final = 20_000
"""Maximum characters of a text that are searched for code."""

_BLOCK = re.compile(r"^[ \t]{0,9}(```|~~~)[^\n]*\n(?P<code>.*?)(?:^[ \t]{0,9}\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`(?P<code>[^`\n]{1,240})`")
"""Code inside a sentence. It is a command if it has at least two words."""
_COMMANDS_LINE = re.compile(r"^Commands: (?P<code>[^\n]+)$", re.MULTILINE)
"""The line with the commands that the assistant ran in the turn."""


def prose(text: str) -> str:
    """Return the text without its blocks of code; "" if there is nothing else."""
    plain = without_code_blocks(text)
    return "" if plain == text and _BLOCK.match(text.lstrip()) else plain


def with_code(level: Literal[2, 3], content: str, told: str) -> str:
    """Return the compressed text `told` of a content, followed by the commands and blocks of code of the content.

    Left out is what `told` has already, and what exceeds the limits of the level. At level 3 there are single lines
    only. The result is never longer than the content, or than `told` if there is no room.
    """
    room = min(CODE_LIMITS[level], len(content) - len(told) - 1)
    lines = _fitting(_fragments(content[:_READ], level), told, room, MAX_FRAGMENTS[level])
    return "\n".join(filter(None, (told, _fenced(lines)))) if lines else told


def statement_kept(trigger: str, told: str, concern: Literal["user", "rule"]) -> str:
    """Return the compressed trigger `told` of what holds until it is revoked: the sentences that tell it, word for
    word; `told` if no sentence of the trigger does.
    """
    return " ".join(telling(trigger, concern)) or told


def _fragments(content: str, level: Literal[2, 3]) -> Iterable[str]:
    """Yield the code of a content: its blocks, then the commands in its sentences, then those that were run."""
    for match in _BLOCK.finditer(content):
        code = match["code"].strip("\n")
        yield from [code] if level == 2 else code.splitlines()
    plain = _BLOCK.sub("\n", content)
    for match in _SPAN.finditer(plain):
        if len(match["code"].split()) > 1:
            yield match["code"]
    for match in _COMMANDS_LINE.finditer(plain):
        yield from match["code"].split("; ")


def _fitting(fragments: Iterable[str], told: str, room: int, most: int) -> list[str]:
    """Return the fragments that fit into `room` characters with their fences, in their order, each once."""
    found = list[str]()
    for fragment in fragments:
        if not fragment.strip() or fragment in told or any(fragment in one for one in found):
            continue
        if len(found) < most and len(_fenced([*found, fragment])) <= room:
            found.append(fragment)
    return found


def _fenced(lines: Sequence[str]) -> str:
    return "\n".join(("```", *lines, "```")) if lines else ""
