"""List markers at the start of a line: bullets, numbers and letters, in English and Japanese."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.writing_systems import is_cjk

_KANJI_DIGITS: Final = "一二三四五六七八九十百"
_MARKER = re.compile(
    rf"""[ \t\u3000]{{0,200}}(?:
        [-*+](?=[ \t\u3000])                              # - item
      | [•‣◦▪●○◆◇■□・▶►➢✓–—](?![•‣◦▪●○◆◇■□・–—])          # • item, ・項目
      | [(（](?:[0-9０-９]{{1,3}}|[a-zA-Z]|[{_KANJI_DIGITS}]{{1,3}})[)）]   # (1) (a) （一）
      | [0-9０-９]{{1,3}}(?:[)）、．]|\.(?![0-9]))         # 1. 1) 1、
      | [a-zA-Z][)）](?=[ \t\u3000])                       # a) item
      | [①-⑳㉑-㉟㊱-㊿❶-❿]                                   # ① item
      | [QＱqｑ][0-9０-９]{{0,3}}[ \t]{{0,3}}[:：.．)）、]       # Q1: Q. Q：
      | (?:Question|QUESTION|question)[ \t]{{1,3}}[0-9]{{1,3}}[ \t]{{0,3}}[:.)]?
      | (?:問題?|質問|設問|要望|項目)[ \t]{{0,3}}
          (?:[0-9０-９]{{1,3}}[ \t]{{0,3}}[:：.．、)）]?|[{_KANJI_DIGITS}]{{1,3}}(?:[:：.．、)）]|(?=[ \t\u3000])))
      | [{_KANJI_DIGITS}]{{1,3}}[、．.)）]                    # 一、
    )[ \t\u3000]*""",
    re.VERBOSE,
)
_ORDINAL = re.compile(rf"[0-9]+|[{_KANJI_DIGITS}]+|(?<![a-z])[a-z](?![a-z])")
_CIRCLED = re.compile(r"[①-⑳㉑-㉟㊱-㊿❶-❿]")
_CONTENT = re.compile(r"[^\W_]")
_LINE_END: Final = 2_000
"""Number of characters at the end of a line in which the first items of a list are searched."""
LEAST_INSIDE: Final = 3
"""Minimum number of items of a list inside one line."""
_INLINE_LIST: Final = 20_000
"""Number of characters of a line in which a list is searched."""
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_INTRODUCES: Final = frozenset(":：?？.。!！…;；")
"""Characters after which a bullet inside a line is a list marker. After others it is a dash."""
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]|[ \t]{0,3}\|")


def marker_end(text: str, start: int, end: int) -> int:
    """Return the offset at which the content of the line `text[start:end]` begins; `start` if it has no list marker."""
    match = _MARKER.match(text, start, end)
    return match.end() if match else start


def is_heading_or_row(text: str, start: int, end: int) -> bool:
    """Return True if the line is a Markdown heading or a table row. Such a line never continues another line."""
    return _HEADING.match(text, start, end) is not None


@dataclass(frozen=True, slots=True)
class ListMarker:
    """A list marker and its position in the text."""

    start: int
    body: int
    """Offset at which the item's content begins."""
    shape: str
    """The marker without its ordinal. All markers of a list have the same shape."""
    ordinal: int | None
    """Number of the item, from 1; None for a bullet."""


def marker_at(text: str, start: int, end: int) -> ListMarker | None:
    """Return the list marker at the start of `text[start:end]`; None if there is none."""
    body = marker_end(text, start, end)
    if body == start:
        return None
    written = text[start:body].strip()
    if _CIRCLED.fullmatch(written):
        return ListMarker(start, body, _circle(written), int(unicodedata.numeric(written)))
    plain = unicodedata.normalize("NFKC", written).lower()
    found = [*_ORDINAL.finditer(plain)]
    # In "Q1:" the letter belongs to the marker, and the number is the ordinal.
    at = next((event for event in found if event.group().isdigit()), found[-1] if found else None)
    if at is None or _ordinal(at.group()) is None:
        return ListMarker(start, body, plain, None)
    return ListMarker(start, body, plain[: at.start()] + "#" + plain[at.end() :], _ordinal(at.group()))


def markers_inside(line: str, following: ListMarker) -> tuple[ListMarker, ...]:
    """Return the first markers of a list that starts inside `line` and that `following`, a marker on a later line,
    continues.

    The numbers of the markers must run from 1 to the number before that of `following`. A bullet must come after a
    colon or the end of a sentence; only the first bullet is returned. Each marker must have content. Empty if
    `following` itself starts the list.
    """
    if following.ordinal == 1:
        return ()
    places = range(max(1, len(line) - _LINE_END), len(line))
    within = [mark for at in places if (mark := _mark_inside(line, at)) and mark.shape == following.shape]
    if following.ordinal is None:
        bullets = [mark for mark in within if line[: mark.start].rstrip()[-1:] in _INTRODUCES]
        return tuple(bullets[:1])
    found: list[ListMarker] = []
    wanted = following.ordinal - 1
    for mark in reversed(within):
        if mark.ordinal == wanted and wanted > 0:
            found.insert(0, mark)
            wanted -= 1
    return tuple(found) if wanted == 0 else ()


def numbered_inside(line: str) -> tuple[ListMarker, ...]:
    """Return the markers of a whole numbered list inside one line, such as `(1) … (2) … (3) …`; empty if there is none.

    The numbers must run from 1 to at least `LEAST_INSIDE`, in markers of one shape, each with content. The first marker
    must start the line or follow white space, a colon or the end of a sentence.
    """
    found: dict[str, list[ListMarker]] = {}
    for at in range(min(len(line), _INLINE_LIST)):
        mark = _mark_inside(line, at) if at else marker_at(line, 0, len(line))
        if mark and mark.ordinal == len(found.get(mark.shape, ())) + 1:
            before = line[: mark.start].rstrip()[-1:]
            if (
                mark.ordinal > 1
                or not before
                or before in _INTRODUCES
                or line[mark.start - 1].isspace()
                or is_cjk(before)
            ):
                found.setdefault(mark.shape, []).append(mark)
    longest = max(found.values(), key=len, default=[])
    return tuple(longest) if len(longest) >= LEAST_INSIDE else ()


def _mark_inside(line: str, at: int) -> ListMarker | None:
    """Return the marker that starts at the offset `at` inside the line; None if there is none.

    A marker must have content. It must not follow a full stop, a digit or a letter, except kana, kanji and hangul.
    """
    before = line[at - 1]
    if line[at].isspace() or (before.isalnum() and not is_cjk(before)) or before == ".":
        return None
    mark = marker_at(line, at, len(line))
    return mark if mark and _CONTENT.search(line, mark.body) else None


def _circle(written: str) -> str:
    return "❶" if "❶" <= written <= "❿" else "①"


def _ordinal(written: str) -> int | None:
    """Return the number that digits, a letter, or kanji (up to 99) stand for; None for other kanji."""
    if written.isdecimal():
        return int(written)
    if written in _LETTERS:
        return _LETTERS.index(written) + 1
    if "百" in written:
        return None
    tens, ten, ones = written.rpartition("十")
    digits = {"": 0} | {kanji: number for number, kanji in enumerate(_KANJI_DIGITS[:9], 1)}
    if tens not in digits or ones not in digits:
        return None
    return (digits[tens] or 1) * 10 * bool(ten) + digits[ones]
