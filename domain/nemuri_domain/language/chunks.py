"""Division of a long text into chunks of at most ten pages. A text without pages is divided by its number of
characters.
"""

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.sentences import spans

PAGE_BREAK: Final = "\f"
CHARACTERS_PER_PAGE: Final = 2_000
"""Characters that count as a page in a text without page breaks. A chunk has ten pages by default."""
DENSITY_LIMIT: Final = 2
"""Maximum size of a chunk in a text with page breaks, as a multiple of the maximum size in a text without them. If
pages are dense, a chunk has fewer of them.
"""

_PARAGRAPH = re.compile(r"\n[ \t\u3000\r]*\n\s*")


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """The part `text[start:end]` of a text."""

    start: int
    end: int
    first_page: int | None = None
    """Number of the first page, from 1; None in a text without page breaks. Equal to `last_page` for a span within one
    page.
    """
    last_page: int | None = None


def split_into_chunks(text: str, characters: int = 10 * CHARACTERS_PER_PAGE, pages: int = 10) -> tuple[ChunkSpan, ...]:
    """Return spans in order that cover the text without overlap or gap; none for the empty text.

    Form feeds separate pages; a form feed belongs to the page that it ends. In a text with form feeds, a span has up to
    `pages` whole pages and up to `DENSITY_LIMIT` × `characters` characters. In other texts it has up to `characters`
    characters. A part that is longer is cut between paragraphs, else between sentences, else between lines, else
    between words (if the piece has at least half of the size), else anywhere. Deterministic, linear time.

    Raises ValueError if `characters` or `pages` is below 1.
    """
    if characters < 1 or pages < 1:
        raise ValueError(f"characters and pages must be at least 1, not {characters} and {pages}")
    if PAGE_BREAK not in text:
        return tuple(ChunkSpan(start, end) for start, end in _cut(text, 0, len(text), characters))
    starts = [0, *(match.end() for match in re.finditer(PAGE_BREAK, text))]
    if starts[-1] == len(text):
        starts.pop()
    return tuple(
        ChunkSpan(start, end, bisect.bisect_right(starts, start), bisect.bisect_right(starts, end - 1))
        for first, last in _packed([*starts, len(text)], DENSITY_LIMIT * characters, pages)
        for start, end in _cut(text, first, last, DENSITY_LIMIT * characters)
    )


def _packed(bounds: list[int], characters: int, pages: int) -> Iterator[tuple[int, int]]:
    """Yield runs of whole pages as (start, end): as many pages as fit. A page that is too long is a run of its own."""
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
    """Return the offset at which to cut `window`, which is the beginning of a longer text.

    The offset is at least half of the window's length, and at least 1.
    """
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
