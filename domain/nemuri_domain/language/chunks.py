"""Mechanical chunks of a large text: at most ten pages each, or the equivalent in characters."""

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.sentences import spans

PAGE_BREAK: Final = "\f"
CHARACTERS_PER_PAGE: Final = 2_000
"""What counts as a page in a text without pages: ten of them are the default size of a chunk."""
DENSE: Final = 2
"""Pages may be this much fuller than `CHARACTERS_PER_PAGE` before fewer than `pages` fit a chunk."""

_PARAGRAPH = re.compile(r"\n[ \t\u3000\r]*\n\s*")


@dataclass(frozen=True, slots=True)
class Span:
    """The part `text[start:end]` of a text."""

    start: int
    end: int
    first_page: int | None = None
    """1-based, and the same for a part of one page; None in a text without pages."""
    last_page: int | None = None


def split(text: str, characters: int = 10 * CHARACTERS_PER_PAGE, pages: int = 10) -> tuple[Span, ...]:
    """Spans in order that cover the text without overlap or loss; none for the empty text.

    Pages are what form feeds separate; a form feed belongs to the page that it ends. With pages, a span holds up to
    `pages` whole ones and up to `DENSE` × `characters`; without, up to `characters`. What is longer is cut between
    paragraphs, else sentences, else lines, else words (if that keeps half of the size), else hard. Deterministic,
    linear time. Raises ValueError unless both sizes are at least 1.
    """
    if characters < 1 or pages < 1:
        raise ValueError("a chunk needs room for at least one character and one page")
    if PAGE_BREAK not in text:
        return tuple(Span(start, end) for start, end in _cut(text, 0, len(text), characters))
    starts = [0, *(match.end() for match in re.finditer(PAGE_BREAK, text))]
    if starts[-1] == len(text):
        starts.pop()
    return tuple(
        Span(start, end, bisect.bisect_right(starts, start), bisect.bisect_right(starts, end - 1))
        for first, last in _packed([*starts, len(text)], DENSE * characters, pages)
        for start, end in _cut(text, first, last, DENSE * characters)
    )


def _packed(bounds: list[int], characters: int, pages: int) -> Iterator[tuple[int, int]]:
    """Runs of whole pages as (start, end): as many as fit, a page that is too long alone."""
    first = 0
    while first < len(bounds) - 1:
        last = bisect.bisect_right(bounds, bounds[first] + characters, first + 1, len(bounds)) - 1
        last = min(max(last, first + 1), first + pages)
        yield bounds[first], bounds[last]
        first = last


def _cut(text: str, start: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    while end - start > size:
        middle = _boundary(text[start : start + size]) + start
        yield start, middle
        start = middle
    if end > start:
        yield start, end


def _boundary(window: str) -> int:
    """Where to cut a window that the text goes on behind: at least half of its length, and at least 1."""
    half = (len(window) + 1) // 2
    paragraphs = [match.end() for match in _PARAGRAPH.finditer(window, half) if match.end() < len(window)]
    if paragraphs:
        return paragraphs[-1]
    begins = [begin for begin, _ in spans(window)]
    if begins and begins[-1] >= half:
        return begins[-1]
    lines = [match.end() for match in re.finditer("\n", window[half:]) if half + match.end() < len(window)]
    if lines:
        return half + lines[-1]
    words = [match.end() for match in re.finditer(r"\s+", window[half:])]
    return half + words[-1] if words else len(window)
