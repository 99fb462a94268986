"""Texts of others inside a prompt, between marks that they cannot forge."""

import hashlib
from collections.abc import Sequence

from nemuri.domain.language.citations import disarmed
from nemuri.infra.models.protocol import Source


def message(question: tuple[str, str], between: str, sources: Sequence[Source]) -> str:
    """The user message: the question, what stands between, and the sources, each inside marks it cannot forge.

    The marks carry a digest of all the texts, which no text among them can contain on purpose; labels in brackets
    inside a text become round, so that repeating it cites nothing.
    """
    label, text = question
    texts = [text, *(source.text for source in sources)]
    mark = digest(texts)
    parts = [fenced(label, text, mark), between, *(fenced(one.label, _noted(one), mark) for one in sources)]
    return "\n\n".join(part for part in parts if part)


def _noted(source: Source) -> str:
    note = f"(Note: {source.note})\n" if source.note else ""
    return f"{note}{disarmed(source.text)}"


def digest(texts: Sequence[str]) -> str:
    """A mark that follows from the texts, and so cannot stand in them on purpose."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:12]


def fenced(label: str, text: str, mark: str) -> str:
    """A text between its marks."""
    return f"<{label} {mark}>\n{text.strip()}\n</{label} {mark}>"
