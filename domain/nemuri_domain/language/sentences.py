"""Sentence segmentation of English, Japanese and mixed text, by rules, in linear time."""

import re
from collections.abc import Iterator
from typing import Final

from nemuri_domain.language.list_markers import is_heading_or_row, marker_end
from nemuri_domain.language.word_files import COMMON
from nemuri_domain.language.writing_systems import is_cjk

_LINE = re.compile(r"[^\r\n\f\v\x85\u2028\u2029]+")
_END = re.compile(r"(?P<stop>[.!?。！？｡．…]+)(?P<close>(?:\*\*|[」』）】〉》〕｣\"'”’)\]}])*)")
_GAP = re.compile(r"\s+")
_OPENING = re.compile(r"[\s\"'“‘(\[]*")
_QUOTES: Final = frozenset('"“‘')
_WIDE_STOPS: Final = frozenset("。！？｡")
_PARTICLES: Final = frozenset("とはがをのにもでやへ、，,")
"""Particles that continue a sentence after a closing bracket, as in 「雨だ。」と言った。"""

_LOOK_BACK: Final = 24
_ABBREVIATION = re.compile(r"[^\W_]+(?:\.[^\W_]+)*$")


def spans(text: str) -> list[tuple[int, int]]:
    """Return the offsets (start, end) of the sentences in order, without overlap and without surrounding white space.

    A sentence ends at . ! ? … before white space, and at 。！？ anywhere; closing brackets and quotes belong to it. It
    also ends at a blank line, at a form feed, before a list line, and before and after a heading or a table row. Other
    line breaks are wraps. A full stop does not end a sentence after an abbreviation, an initial or a list number,
    before a lower-case word, or inside a number or a name (3.14, list.append). Only white space is outside the spans.
    """
    return [span for start, end in _blocks(text) for span in _within(text, start, end)]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each on one line (`normalised`)."""
    return [normalised(text[start:end]) for start, end in spans(text)]


def normalised(text: str) -> str:
    """Return the text on one line. White space becomes one space.

    At a line break between CJK characters, and after a hyphen inside a word, it is removed.
    """
    stripped = text.strip()

    def joined(match: re.Match[str]) -> str:
        wraps = any(mark in match.group() for mark in "\n\r\f\v")
        before, after = stripped[match.start() - 1], stripped[match.end()]
        hyphenated = before in "-‐" and stripped[max(match.start() - 2, 0)].isalnum() and after.isalnum()
        return "" if wraps and (hyphenated or (is_cjk(before) and is_cjk(after))) else " "

    return _GAP.sub(joined, stripped)


def pieces(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of `text[start:end]`, each at most `most` characters long.

    They are cut between sentences, and between words if a sentence is longer.
    """
    if end - start <= most:
        yield start, end
        return
    first = last = start
    for one, other in spans(text[start:end]):
        if start + other - first > most and last > first:
            yield first, last
            first = start + one
        last = start + other
        while last - first > most:
            middle = _between_words(text, first, first + most)
            yield first, middle
            first = middle
    if last > first:
        yield first, last


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans (start, end) of blocks. The lines of a block continue each other."""
    start = end = 0
    alone = False
    for line in _LINE.finditer(text):
        blank = line.group().isspace()
        gap = text[end : line.start()]
        breaks = blank or alone or "\f" in gap or gap.count("\n") > 1 or gap.count("\r") > 1
        alone = not blank and is_heading_or_row(text, line.start(), line.end())
        if breaks or alone or marker_end(text, line.start(), line.end()) > line.start():
            if end > start:
                yield start, end
            start = line.start()
        end = start if blank else line.end()
    if end > start:
        yield start, end


def _within(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    body = marker_end(text, start, end)
    begin = start
    for match in _END.finditer(text, body, end):
        if _ends(text, begin, match, end):
            yield from _trimmed(text, begin, match.end())
            begin = match.end()
    yield from _trimmed(text, begin, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        yield start, end


def _ends(text: str, begin: int, match: re.Match[str], end: int) -> bool:
    stop, close, after = match["stop"], match["close"], match.end()
    if after >= end:
        return True
    following = text[after]
    if not _WIDE_STOPS.isdisjoint(stop):
        return not (close and (following in _PARTICLES or text.startswith("って", after)))
    if not following.isspace():
        return bool(stop.strip(".．…")) and is_cjk(following)
    word = _next_word_start(text, after, end)
    if word.islower() and (close or stop[-1] in ".…"):
        return False
    return stop != "." or not _is_abbreviation(text[max(begin, match.start() - _LOOK_BACK) : match.start()], word)


def _next_word_start(text: str, position: int, end: int) -> str:
    """Return the first letter of the next word. If a quotation mark is before it, return that mark, because a quoted
    name may begin a sentence.
    """
    match = _OPENING.match(text, position, end)
    if match is None or match.end() >= end:
        return ""
    before = text[match.end() - 1]
    return before if before in _QUOTES else text[match.end()]


def _is_abbreviation(before: str, following: str) -> bool:
    """Return True if the full stop after `before` belongs to an abbreviation. `following` is the first letter after
    it.
    """
    match = _ABBREVIATION.search(before)
    if match is None:
        return False
    short = match.group()
    lowered = short.lower()
    if lowered in COMMON.word_set("before number"):
        return following.isdigit()
    if lowered in COMMON.word_set("often last"):
        return False
    initial = len(short) == 1 and short.isupper() and short.isascii() and short != "I"
    dotted = "." in short and all(len(part) <= 2 and part.isalpha() for part in short.split("."))
    return initial or dotted or lowered in COMMON.word_set("never last")


def _between_words(text: str, start: int, end: int) -> int:
    half = (start + end) // 2
    space = max(text.rfind(" ", half, end), text.rfind("\n", half, end))
    return space + 1 if space > 0 and not is_cjk(text[end - 1]) else end
