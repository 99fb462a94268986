"""Untrusted texts inside a prompt, fenced with delimiters that the texts cannot imitate."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Final

from nemuri_domain.language.citations import without_citation_brackets
from nemuri_domain.language.sentences import normalised
from nemuri_infra.models.protocol import Source

_TURN: Final = re.compile(r"<\|[^\s|<>]{1,40}\|>|<</?SYS>>|\[/?INST\]|</?(?:start|end)_of_turn>|</?s>", re.IGNORECASE)
"""Markers of a chat turn. Self-hosted models obey them even in the middle of a text."""


def message(question: tuple[str, str], between: str, sources: Sequence[Source]) -> str:
    """Return the user message: the question, the text `between`, and the sources. Question and sources are fenced.

    The delimiters contain a digest of all texts, so no text can imitate them. Square brackets around labels in the
    sources become round, so that a model that repeats a source cites nothing by accident.
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
    """Return a delimiter derived from the texts: 96 bits of a sha256. No author of a text can predict it."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:24]


def fenced(label: str, text: str, mark: str) -> str:
    """Return a text between two delimiters. Markers of chat turns in it get a space, so that no model obeys them."""
    return f"<{label} {mark}>\n{_TURN.sub(_spaced, text.strip())}\n</{label} {mark}>"


def _spaced(found: re.Match[str]) -> str:
    return found.group().replace("<", "< ").replace("[", "[ ")
