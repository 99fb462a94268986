"""Untrusted texts inside a prompt, fenced with delimiters that the texts cannot imitate."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.citations import without_citation_brackets
from nemuri_domain.language.sentences import normalised
from nemuri_infra.models.sources import Source

_FENCE: Final = re.compile(r"</?[^<>\n]{1,60} [0-9a-f]{24}(?:>\n?|$)")
"""Pattern of a delimiter of `fenced`, which may be cut off at the end."""
_TURN: Final = re.compile(r"<\|[^\s|<>]{1,40}\|>|<</?SYS>>|\[/?INST\]|</?(?:start|end)_of_turn>|</?s>", re.IGNORECASE)
"""Markers of a chat turn. Self-hosted models obey them even in the middle of a text."""


@dataclass(frozen=True, slots=True)
class FencedText:
    """An untrusted text that is shown to a model word for word, such as a question. It is no source."""

    label: str
    text: str


def noted(source: Source | FencedText) -> str:
    """Return the text of a source below its origin and the remark about it. A quote is returned word for word.

    Square brackets around labels in a source become round, so that a model that repeats it cites nothing by accident.
    """
    if isinstance(source, FencedText):
        return source.text
    origin = f"(From: {without_citation_brackets(normalised(source.origin))})\n" if source.origin else ""
    newer = f"{source.succeeded_by} is newer and about the same" if source.succeeded_by else ""
    note = f"(Note: {source.note or newer})\n" if source.note or newer else ""
    above = f"{source.introduction}\n" if source.introduction else ""
    return f"{origin}{note}{without_citation_brackets(above + source.text)}"


def digest(texts: Iterable[str]) -> str:
    """Return a delimiter derived from the texts: 96 bits of a sha256. No author of a text can predict it."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:24]


def fenced(label: str, text: str, mark: str) -> str:
    """Return a text between two delimiters. Markers of chat turns in it get a space, so that no model obeys them."""
    return f"<{label} {mark}>\n{_TURN.sub(_spaced, text.strip())}\n</{label} {mark}>"


def without_fences(text: str) -> str:
    """Return the text of a model without the delimiters of sources that it copied."""
    return _FENCE.sub("", text)


def _spaced(found: re.Match[str]) -> str:
    return found.group().replace("<", "< ").replace("[", "[ ")
