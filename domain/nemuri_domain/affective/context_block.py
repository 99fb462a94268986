"""The text block of memories that an assistant gets with a prompt. Its length is limited."""

import re
from collections.abc import Iterable
from typing import Final

from nemuri_domain.affective.aggregate import ARCHIVED, AffectMemory
from nemuri_domain.affective.retrieval import RetrievedMemory

BLOCK_LIMIT: Final = 8_000
"""Maximum characters of a block, with tags and line breaks. Assistants cut the output of a hook at 10,000
characters.
"""

_OPEN: Final = "<memories>"
_CLOSE: Final = "</memories>"
_MARKS = re.compile(
    r"<(?=\s*/?\s*(?:memories|system-reminder|user-prompt-submit-hook|command-\w+|local-command-\w+|bash-\w+"
    r"|task-notification|ide_\w+)\b)",
    re.IGNORECASE,
)
"""Start of a tag that an assistant would read as the end of the block, or as a message of its own program."""
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")


class ContextBlock:
    """A block to fill with memories, best first. A memory is added whole; only a very long first memory is cut."""

    def __init__(self, limit: int = BLOCK_LIMIT) -> None:
        self.shown: list[RetrievedMemory] = []
        """The memories in the block."""
        self._lines = list[str]()
        self._room = limit - len(_OPEN) - len(_CLOSE) - len("\n\n")

    def fill(self, told: Iterable[RetrievedMemory]) -> list[RetrievedMemory]:
        """Add each memory that fits, and return the added ones. If the first memory of the block is too long, it is cut
        and gets a notice.
        """
        added: list[RetrievedMemory] = []
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
        """The text of the block in its tags, one entry per memory; "" if there is none."""
        return "\n".join((_OPEN, *self._lines, _CLOSE)) if self._lines else ""


def _entry(memory: AffectMemory) -> str:
    """Return the entry of a memory: day, level and text. Further lines are indented, so that none looks like an
    entry.
    """
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
