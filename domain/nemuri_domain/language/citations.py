"""Citations: labels in brackets, such as [m1], by which an answer names its sources."""

import re
from collections.abc import Iterable

_BRACKETS = re.compile(r"[\[［【]([^\[\]［］【】\n]{1,200})[\]］】]")
_SPACED = re.compile(rf"(?<!\s)\s*+{_BRACKETS.pattern}")
_LABEL = re.compile(r"[mdc][0-9]{1,4}", re.IGNORECASE)
_DETAIL = re.compile(r"d[0-9]{1,4}", re.IGNORECASE)
_SEPARATORS = re.compile(r"[,;、，；\s]+")
_PART = re.compile(r"[^,;、，；\s]+")


def cited_labels(text: str, given: Iterable[str]) -> tuple[str, ...]:
    """Return the labels among `given` that the text cites, as in [m1] or [m1, d2], each once."""
    known = {label.casefold(): label for label in given}
    found: dict[str, None] = {}
    for match in _BRACKETS.finditer(text):
        for part in _SEPARATORS.split(match.group(1).strip()):
            label = known.get(part.casefold())
            if label is not None:
                found[label] = None
    return tuple(found)


def split_at_citations(text: str, given: Iterable[str]) -> list[tuple[str, str | None]]:
    """Return the text in pieces, each with the label among `given` that it cites, or None."""
    known = {label.casefold(): label for label in given}
    found: list[tuple[str, str | None]] = []
    end = 0
    for brackets in _BRACKETS.finditer(text):
        for part in _PART.finditer(text, brackets.start(1), brackets.end(1)):
            if label := known.get(part.group().casefold()):
                found += [(text[end : part.start()], None), (part.group(), label)]
                end = part.end()
    return [piece for piece in (*found, (text[end:], None)) if piece[0]]


def cites_details(text: str) -> bool:
    """Return True if the text cites a passage of a document, as in [d1]."""
    return any(
        _DETAIL.fullmatch(part)
        for match in _BRACKETS.finditer(text)
        for part in _SEPARATORS.split(match.group(1).strip())
    )


def without_citations(text: str) -> str:
    """Return the text without its citations and the white space before them."""
    return _SPACED.sub(lambda match: "" if _is_citation(match.group(1)) else match.group(), text)


def without_citation_brackets(text: str) -> str:
    """Return the text with its citations in round brackets, so that they do not count as citations in a text that
    quotes it.
    """
    return _BRACKETS.sub(lambda match: f"({match.group(1)})" if _is_citation(match.group(1)) else match.group(), text)


def _is_citation(inside: str) -> bool:
    return all(_LABEL.fullmatch(part) for part in _SEPARATORS.split(inside.strip()))
