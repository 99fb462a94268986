"""The block of text that an assistant is given with a prompt: whole memories, within a bound of characters."""

import re
from collections.abc import Iterable
from typing import Final

from nemuri_domain.affective.aggregate import ARCHIVED, AffectMemory
from nemuri_domain.affective.retrieval import Told

LIMIT: Final = 8_000
"""Characters of a block, marks and line breaks included: assistants cut what a hook prints at 10,000."""

_OPEN: Final = "<memories>"
_CLOSE: Final = "</memories>"
_MARKS = re.compile(
    r"<(?=\s*/?\s*(?:memories|system-reminder|user-prompt-submit-hook|command-\w+|local-command-\w+|bash-\w+"
    r"|task-notification|ide_\w+)\b)",
    re.IGNORECASE,
)
"""What begins a mark that an assistant reads as the end of the block, or as the words of its own program."""
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")


class Block:
    """A block that is filled, best memory first, as long as whole memories fit in."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.shown: list[Told] = []
        """The memories that are in the block."""
        self._lines = list[str]()
        self._room = limit - len(_OPEN) - len(_CLOSE) - len("\n\n")

    def fill(self, told: Iterable[Told]) -> list[Told]:
        """Add each memory that fits in whole, and return those. A first one that is too long says that it is cut."""
        added: list[Told] = []
        for each in told:
            entry = _entry(each.memory)
            if not self.shown and len(entry) >= self._room:
                entry = _shortened(entry, each.memory, self._room - len("\n"))
            if len(entry) + len("\n") > self._room:
                continue
            self._lines.append(entry)
            self._room -= len(entry) + len("\n")
            self.shown.append(each)
            added.append(each)
        return added

    @property
    def text(self) -> str:
        """The block between its marks, an entry for each memory; "" for none."""
        return "\n".join((_OPEN, *self._lines, _CLOSE)) if self._lines else ""


def _entry(memory: AffectMemory) -> str:
    """The day, the level and the words of a memory; further lines are indented, so that none looks like an entry."""
    mark = "[archived]" if memory.archived else ""
    level = ARCHIVED - 1 if memory.archived else memory.level
    return f"- [{memory.said_at:%Y-%m-%d}][L{level}]{mark} {_laid_out(f'{memory.trigger} → {memory.content}')}"


def _shortened(entry: str, memory: AffectMemory, room: int) -> str:
    note = f" […] (shortened from {len(entry):,} characters; all of it:"
    note += f" `nemuri affect {memory.agent_id} memory {memory.label}`)"
    return entry[: room - len(note)].rstrip() + note


def _laid_out(text: str) -> str:
    lines = (each.rstrip() for each in _MARKS.sub("‹", _CONTROL.sub(" ", text)).splitlines())
    return "\n  ".join(each for each in lines if each)
