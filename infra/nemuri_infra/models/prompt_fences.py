"""Untrusted texts inside a prompt, between marks that they cannot forge."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Final

from nemuri_domain.language.citations import without_citation_brackets
from nemuri_domain.language.sentences import normalised
from nemuri_infra.models.protocol import Source

_TURN: Final = re.compile(r"<\|[^\s|<>]{1,40}\|>|<</?SYS>>|\[/?INST\]|</?(?:start|end)_of_turn>|</?s>", re.IGNORECASE)
"""Turn markers of self-hosted models, which these interpret in the middle of a text too."""


def message(question: tuple[str, str], between: str, sources: Sequence[Source]) -> str:
    """Return the user message: the question, the text `between`, and the sources, each between marks that it cannot
    forge.

    The marks carry a digest of all texts, which no text can contain on purpose. Square brackets around labels in a text
    become round, so that repeating the text cites nothing.
    """
    label, text = question
    texts = {label: text} | {one.label: _noted(one) for one in sources}
    mark = digest(texts.values())
    asked, *known = (fenced(name, each, mark) for name, each in texts.items())
    return "\n\n".join(part for part in (asked, between, *known) if part)


def _noted(source: Source) -> str:
    origin = f"(From: {without_citation_brackets(normalised(source.origin))})\n" if source.origin else ""
    note = f"(Note: {source.note})\n" if source.note else ""
    return f"{origin}{note}{without_citation_brackets(source.text)}"


def digest(texts: Iterable[str]) -> str:
    """Return a mark derived from the texts, 96 bits of a sha256. The texts cannot contain it on purpose."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:24]


def fenced(label: str, text: str, mark: str) -> str:
    """Return a text between its marks, without the turn markers of any model."""
    return f"<{label} {mark}>\n{_TURN.sub(_spaced, text.strip())}\n</{label} {mark}>"


def _spaced(found: re.Match[str]) -> str:
    return found.group().replace("<", "< ").replace("[", "[ ")
