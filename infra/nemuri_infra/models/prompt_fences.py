"""Texts of others inside a prompt, between marks that they cannot forge."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Final

from nemuri_domain.language.citations import disarmed
from nemuri_domain.language.sentences import normalised
from nemuri_infra.models.protocol import Source

_TURN: Final = re.compile(r"<\|[^\s|<>]{1,40}\|>|<</?SYS>>|\[/?INST\]|</?(?:start|end)_of_turn>|</?s>", re.IGNORECASE)
"""How models that are served by programs of their own mark turns, which those read in the middle of a text too."""


def message(question: tuple[str, str], between: str, sources: Sequence[Source]) -> str:
    """The user message: the question, what stands between, and the sources, each inside marks it cannot forge.

    The marks carry a digest of all the texts, which no text among them can contain on purpose; labels in brackets
    inside a text become round, so that repeating it cites nothing.
    """
    label, text = question
    texts = {label: text} | {one.label: _noted(one) for one in sources}
    mark = digest(texts.values())
    asked, *known = (fenced(name, each, mark) for name, each in texts.items())
    return "\n\n".join(part for part in (asked, between, *known) if part)


def _noted(source: Source) -> str:
    origin = f"(From: {disarmed(normalised(source.origin))})\n" if source.origin else ""
    note = f"(Note: {source.note})\n" if source.note else ""
    return f"{origin}{note}{disarmed(source.text)}"


def digest(texts: Iterable[str]) -> str:
    """A mark that follows from the texts, and so cannot stand in them on purpose: 96 bits of a sha256."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:24]


def fenced(label: str, text: str, mark: str) -> str:
    """A text between its marks, in which nothing is left that a model's own format could take for a turn of its own."""
    return f"<{label} {mark}>\n{_TURN.sub(_spaced, text.strip())}\n</{label} {mark}>"


def _spaced(found: re.Match[str]) -> str:
    return found.group().replace("<", "< ").replace("[", "[ ")
