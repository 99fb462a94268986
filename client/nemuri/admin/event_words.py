"""The words of an event by which a reader of the log recognises it."""

from typing import Final

from pydantic import BaseModel

from nemuri_contracts.event import Event

BEGINNING = 80
"""Maximum number of characters of the words."""
_TEXTS: Final = (
    "text",
    "question",
    "query",
    "answer",
    "reason",
    "error",
    "point",
    "summary",
    "request",
    "prompt",
    "content",
    "words",
    "correction",
    "verdict",
    "option",
    "why",
    "note",
    "date",
)
"""Fields that hold the words of an event, the most telling first."""
_PARTS: Final = {
    "memory": "content",
    "request": "question",
    "experience": "content",
    "definition": "role",
    "textbook": "title",
    "change": "content",
    "entry": "memory",
    "revision": "answer",
}
"""Fields that hold a part with words, by the field of that part."""


def beginning_of(event: Event) -> str:
    """Return the first words of what an event says, in one line; "" if it says nothing in words."""
    text = " ".join(_words(event).split())
    return text if len(text) <= BEGINNING else f"{text[: BEGINNING - 1]}…"


def _words(part: BaseModel) -> str:
    for name in _TEXTS:
        value = getattr(part, name, None)
        if isinstance(value, str) and value:
            return value[: BEGINNING * 4]
    for name, inner in _PARTS.items():
        value = getattr(part, name, None)
        found = getattr(value, inner, None)
        if isinstance(found, str) and found:
            return found[: BEGINNING * 4]
        if isinstance(found, BaseModel) and (words := _words(found)):
            return words
    return ""
