"""Division of a document into units: turns, paragraphs, list items, table rows, and lines of code."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final, Literal

from nemuri_domain.language.conversation_turns import speaker_of, speakers_of
from nemuri_domain.language.list_markers import marker_end
from nemuri_domain.language.sentences import pieces, spans
from nemuri_domain.language.table_markup import BORDER

Kind = Literal["turn", "paragraph", "item", "row", "code"]
Span = tuple[int, int]
UNIT_CHARACTERS: Final = 600
"""Maximum characters of a unit. Longer ones are cut between sentences, and between words if a sentence is longer."""
CONTEXT_CHARACTERS: Final = 200
"""Maximum characters that a heading, an introduction or an item contributes to the context of a unit."""
HEAD_CHARACTERS: Final = 1_000
"""Maximum characters that the head row of a table contributes to the context of its rows."""
_HEADING_CHARACTERS: Final = 100
_LEAST_ROWS: Final = 3
"""Minimum number of lines with equally many separators that form a table without pipes."""
_SAMPLE: Final = 20
_UNFINISHED: Final = 0.2
"""If at most this share of the lines of a block end in the middle of a sentence, each line is a paragraph."""
_LOWEST_HEADING: Final = 6

_LINE = re.compile(r"[^\n\r\f]*(?:\r\n|[\n\r\f]|$)")
_MARKDOWN = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+\S")
_CHAPTER = re.compile(
    r"\s*(?:(?:chapter|part|section|appendix|session)\s+[0-9ivxlc]+\b|第[0-9０-９一二三四五六七八九十百]+[章節部編回])",
    re.IGNORECASE,
)
_UNDERLINE = re.compile(r"[ ]{0,3}([=\-*~^])\1{2,}[ \t]*$")
_FENCE = re.compile(r"[ \t]{0,9}(?:```|~~~)")
_PIPE_ROW = re.compile(r"[ \t]*\|.*\||[^|]+(?: \| [^|]*){2,}$")
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:[|+][ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_CONTINUATION = re.compile(r"[ \t]*\|[ \t]*\|")
"""The beginning of a row without a first cell. It continues the row above it."""
_HTML_ROW = re.compile(r"<tr\b.*?(?:</tr\s*>|(?=<tr\b)|(?=</table))", re.IGNORECASE | re.DOTALL)
_TABLE_END = re.compile(r"</table\s*>?", re.IGNORECASE)
_SEPARATORS: Final = ("\t", ";", ",")
_QUOTED_CELL = re.compile(r'"(?:[^"\n]|"")*"')
_STOPS: Final = (".", "!", "?", "。", "！", "？", "…", ";", "；", ",", "、")
_INTRODUCES: Final = (":", "：", "。", ".")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of a document, `text[start:end]`."""

    start: int
    end: int
    kind: Kind
    section: int
    """Number of the section that contains the unit, from 0. It rises at each heading."""
    context: tuple[Span, ...] = ()
    """Spans of the headings above the unit, outermost first; then of the introduction and the items above it in a list,
    of the head row of a table, or of the less indented lines above it in code.
    """
    headings: int = 0
    """Number of spans of `context` that are headings."""


def text_units(text: str) -> tuple[Unit, ...]:
    """Return the units of a text in order. They do not overlap, and have at most `UNIT_CHARACTERS` characters.

    A line that begins with the name of one of several speakers starts a turn. A line with a list marker starts an item.
    Each row of a table is a unit, and so is each line of code. Everything else is divided into paragraphs at blank
    lines, and at line breaks if lines are whole sentences. Headings are units too. Linear time.
    """
    return tuple(_Reader(text).units())


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    """End of the line without its line break."""
    text: str

    @property
    def blank(self) -> bool:
        return not self.text.strip()

    @property
    def indent(self) -> int:
        expanded = self.text.replace("\u3000", "  ").expandtabs(4)
        return len(expanded) - len(expanded.lstrip())

    @property
    def marked(self) -> bool:
        return marker_end(self.text, 0, len(self.text)) > 0

    @property
    def breaks(self) -> bool:
        """True if the line never continues a paragraph or an item."""
        return self.blank or self.marked or bool(_MARKDOWN.match(self.text) or _FENCE.match(self.text))

    def span(self, most: int = CONTEXT_CHARACTERS) -> Span:
        return self.start, min(self.end, self.start + most)


@dataclass(slots=True)
class _Reader:
    text: str
    lines: list[_Line] = field(init=False)
    speakers: frozenset[str] = field(init=False)
    last_table: int = field(init=False)
    """Offset of the last end of an HTML table; negative without one."""
    headings: list[tuple[int, Span]] = field(default_factory=list)
    """Level and span of the open headings, outermost first."""
    section: int = 0
    at: int = 0
    """Index of the first line that was not read."""

    def __post_init__(self) -> None:
        found = ((match.start(), match.group()) for match in _LINE.finditer(self.text) if match.group())
        bodies = ((start, line.rstrip("\r\n\f")) for start, line in found)
        self.lines = [_Line(start, start + len(body), body) for start, body in bodies]
        self.last_table = max(map(self.text.rfind, ("</table", "</TABLE")))
        self.speakers = speakers_of([line.text for line in self.lines])

    def units(self) -> Iterator[Unit]:
        """Yield the units of the text."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.blank:
                self.at += 1
            elif _FENCE.match(line.text):
                yield from self._code()
            elif line.start < self.last_table and "<table" in line.text.casefold():
                yield from self._html_table(line)
            elif self._is_turn(line):
                yield from self._turn()
            elif (level := self._heading_level()) is not None:
                yield self._heading(level)
            elif rule := self._table_rule():
                yield from self._table(rule)
            elif line.marked:
                yield from self._list(())
            else:
                yield from self._paragraph()

    def _is_turn(self, line: _Line) -> bool:
        return bool(self.speakers) and speaker_of(line.text) in self.speakers

    def _line(self, at: int) -> _Line | None:
        return self.lines[at] if 0 <= at < len(self.lines) else None

    def _next_written(self) -> int:
        """Return the index of the first line from the present one that is not blank."""
        at = self.at
        while at < len(self.lines) and self.lines[at].blank:
            at += 1
        return at

    def _heading_level(self) -> int | None:
        line, plain = self.lines[self.at], self.lines[self.at].text.strip()
        before, following = self._line(self.at - 1), self._line(self.at + 1)
        if found := _MARKDOWN.match(line.text):
            return len(found[1])
        if len(plain) > _HEADING_CHARACTERS or plain.endswith((*_STOPS, ":", "：")) or _PIPE_ROW.match(line.text):
            return None
        if following and _UNDERLINE.match(following.text) and not line.marked:
            return 1 if "=" in following.text else 2
        if _CHAPTER.match(line.text):
            return 1
        first = (before is None or before.blank) and not line.marked and any(map(str.isalnum, plain))
        return _LOWEST_HEADING if first and following and (following.blank or self._is_turn(following)) else None

    def _heading(self, level: int) -> Unit:
        line = self.lines[self.at]
        self.headings = [heading for heading in self.headings if heading[0] < level]
        self.section += 1
        unit = self._unit(line.start, line.end, "paragraph")
        self.headings.append((level, line.span()))
        self.at += 1
        following = self._line(self.at)
        if following and _UNDERLINE.match(following.text):
            self.at += 1
        return unit

    def _unit(self, start: int, end: int, kind: Kind, more: Sequence[Span] = ()) -> Unit:
        above = tuple(span for _, span in self.headings)
        return Unit(start, end, kind, self.section, (*above, *more), len(above))

    def _cut(self, start: int, end: int, kind: Kind, more: Sequence[Span] = ()) -> Iterator[Unit]:
        for one, other in pieces(self.text, start, end, UNIT_CHARACTERS):
            yield self._unit(one, other, kind, more)

    def _read_while(self, goes_on: Callable[[_Line], bool]) -> _Line:
        """Read the present line and the following ones for which `goes_on` holds. Return the last one."""
        self.at += 1
        while self.at < len(self.lines) and goes_on(self.lines[self.at]):
            self.at += 1
        return self.lines[self.at - 1]

    def _turn(self) -> Iterator[Unit]:
        start = self.lines[self.at].start
        last = self._read_while(
            lambda line: not (line.blank or self._is_turn(line) or _MARKDOWN.match(line.text)),
        )
        yield from self._cut(start, last.end, "turn")

    def _paragraph(self) -> Iterator[Unit]:
        first = self.at
        last = self._read_while(lambda line: not (line.breaks or self._is_turn(line) or self._table_rule()))
        some = self.lines[first : self.at]
        alone = len(some) - sum(line.text.rstrip().endswith(_STOPS) for line in some) <= _UNFINISHED * len(some)
        for one, other in [(line, line) for line in some] if alone else [(some[0], last)]:
            yield from self._cut(one.start, other.end, "paragraph")
        following = self._line(self._next_written())
        if following and following.marked and not self._is_turn(following) and last.text.rstrip().endswith(_INTRODUCES):
            self.at = self._next_written()
            yield from self._list((_last_sentence(self.text, last),))

    def _list(self, introduced: tuple[Span, ...]) -> Iterator[Unit]:
        """Yield the items of a list. The items above an item are those with less indentation."""
        above: list[tuple[int, Span]] = []
        while (line := self._line(self._next_written())) and line.marked and not self._is_turn(line):
            self.at = self._next_written()
            above = [item for item in above if item[0] < line.indent]
            last = self._read_while(lambda other: not (other.breaks or self._is_turn(other)))
            yield from self._cut(line.start, last.end, "item", (*introduced, *(span for _, span in above)))
            above.append((line.indent, line.span()))

    def _table_rule(self) -> Callable[[_Line], bool] | None:
        """Return a function that recognises the rows of the table that starts at the present line; None if none does.

        Only the first `_SAMPLE` lines decide whether there is a table.
        """
        line, some = self.lines[self.at], self.lines[self.at : self.at + _SAMPLE]
        if _PIPE_ROW.match(line.text) or BORDER.fullmatch(line.text):
            return _is_piped if len(some) > 1 and _is_piped(some[1]) else None
        for separator in _SEPARATORS:
            if (number := _cells(line.text, separator)) > (separator != "\t"):
                rule = _with_cells(separator, number)
                rows = list(takewhile(rule, some))
                if len(rows) >= _LEAST_ROWS and 2 * sum(row.text.rstrip().endswith(_STOPS) for row in rows) < len(rows):
                    return rule
        return None

    def _table(self, rule: Callable[[_Line], bool]) -> Iterator[Unit]:
        first = self.at
        self._read_while(rule)
        lines, rows = self.lines[first : self.at], list[list[_Line]]()
        grid = any(BORDER.fullmatch(table_line.text) for table_line in lines)
        for line in lines:
            if grid and rows and _CONTINUATION.match(line.text):
                rows[-1].append(line)
            elif not (_RULE.match(line.text) or BORDER.fullmatch(line.text)):
                rows.append([line])
        heads = [row[0].span(HEAD_CHARACTERS) for row in rows[:1]]
        for number, row in enumerate(rows):
            yield from self._cut(row[0].start, row[-1].end, "row", heads if number else ())

    def _html_table(self, line: _Line) -> Iterator[Unit]:
        closed = _TABLE_END.search(self.text, line.start)
        end = max(line.end, closed.end()) if closed else line.end
        self._read_while(lambda other: other.end <= end)
        rows = [(found.start(), found.end()) for found in _HTML_ROW.finditer(self.text, line.start, end)]
        heads = [(start, min(stop, start + HEAD_CHARACTERS)) for start, stop in rows[:1]]
        for number, (start, stop) in enumerate(rows or [(line.start, self.lines[self.at - 1].end)]):
            yield from self._cut(start, stop, "row", heads if number else ())

    def _code(self) -> Iterator[Unit]:
        above: list[tuple[int, Span]] = []
        self.at += 1
        while (line := self._line(self.at)) and not _FENCE.match(line.text):
            self.at += 1
            if not line.blank:
                above = [item for item in above if item[0] < line.indent]
                yield from self._cut(line.start, line.end, "code", [span for _, span in above])
                above.append((line.indent, line.span()))
        self.at += 1


def _is_piped(line: _Line) -> bool:
    ruled = _RULE.match(line.text) or BORDER.fullmatch(line.text)
    return bool(_PIPE_ROW.match(line.text) or (ruled and not line.blank))


def _with_cells(separator: str, number: int) -> Callable[[_Line], bool]:
    return lambda line: _cells(line.text, separator) == number


def _cells(line: str, separator: str) -> int:
    """Return the number of separators outside of quoted cells."""
    return (_QUOTED_CELL.sub("", line) if '"' in line else line).count(separator)


def _last_sentence(text: str, line: _Line) -> Span:
    """Return the span of the last sentence of a line, at most `CONTEXT_CHARACTERS` long."""
    said = spans(text[line.start : line.end])
    start = line.start + said[-1][0] if said else line.start
    return start, min(line.end, start + CONTEXT_CHARACTERS)
