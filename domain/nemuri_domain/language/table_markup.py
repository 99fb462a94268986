"""Conversion of HTML, grid and comma-separated tables to Markdown tables, so that one reader reads them all."""

import csv
import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from itertools import groupby
from typing import Final

from nemuri_domain.language.sentences import normalised

_HTML_TABLE: Final = re.compile(r"<table\b.*?</table\s*>", re.IGNORECASE | re.DOTALL)
_SEPARATOR: Final = re.compile(r"(?<![0-9\s])[,;](?=\S)|[,;](?=[^\s0-9])")
"""A comma or semicolon that separates two fields. One between digits may belong to a number."""
_CELLS: Final = re.compile(r"(?<!\\)\|")
RULE: Final = re.compile(r"[ \t]{0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
"""The line below the heads of a Markdown table."""
BORDER: Final = re.compile(r"[ \t]*(?:\+(?:[-=]+\+)+|\|=+(?:[|+]=+)*\|)[ \t]*")
"""A line between two rows of a grid table, such as "+---+---+" or "|===|===|"."""
_UNLIKELY: Final = re.compile(r"^\s*[-*+#>•・]|[|\r]")
"""A list marker at the start of a line, or a character that no row has."""
LEAST_ROWS: Final = 3
"""Minimum number of lines of a comma-separated table, its heads included."""
_LONGEST_ROW: Final = 4_000
"""Maximum characters of a line that is read as a row."""


def with_markdown_tables(text: str) -> str:
    """Return the text with its HTML, grid and comma-separated tables as Markdown tables; the rest is unchanged.

    A comma-separated table is a block of at least `LEAST_ROWS` lines with the same number of fields, at least two.
    Fields are separated by commas or semicolons without a space behind them, and may be quoted. The lines of a row of a
    grid table (with borders such as "+---+---+") are joined.
    """
    if "+-" in text:
        text = "\n".join(_without_grids(text.split("\n")))
    if "<table" in text.casefold():
        text = _HTML_TABLE.sub(lambda found: f"\n{_html_rows(found.group())}\n", text)
    return "\n".join(_lines(text.split("\n"))) if _SEPARATOR.search(text) else text


def is_row(line: str) -> bool:
    """Return True if a line is a row of a Markdown table."""
    return line.lstrip().startswith("|") and line.count("|") > 1


def is_rule(line: str) -> bool:
    """Return True if a line separates the heads of a Markdown table from its rows."""
    return "|" in line and RULE.fullmatch(line) is not None


def cells_of(row: str) -> list[str]:
    """Return the cells of a row of a Markdown table, or of one with tabs between its cells."""
    cells = _CELLS.split(row.strip().removeprefix("|").removesuffix("|")) if "|" in row else row.split("\t")
    return [normalised(cell) for cell in cells]


def _without_grids(lines: Sequence[str]) -> Iterator[str]:
    grid: list[str] = []
    for line in (*lines, None):
        if line is not None and (BORDER.fullmatch(line) or (grid and line.lstrip().startswith("|"))):
            grid.append(line)
            continue
        yield from _grid(grid)
        grid = []
        if line is not None:
            yield line


def _grid(lines: Sequence[str]) -> Sequence[str]:
    """Return the Markdown rows of the lines of a grid table; the lines if they have no row."""
    rows: list[list[str]] = []
    fresh = True
    for line in lines:
        if BORDER.fullmatch(line):
            fresh = True
            continue
        cells = cells_of(line)
        if fresh or len(cells) != len(rows[-1]):
            rows.append(cells)
        else:
            rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True)]
        fresh = False
    return _markdown(rows, ruled=True) if rows else lines


def _html_rows(markup: str) -> str:
    reader = _HtmlTable()
    reader.feed(markup)
    reader.close()
    return "\n".join(_markdown(reader.rows, ruled=reader.headed))


class _HtmlTable(HTMLParser):
    """The rows of one HTML table. Markup inside a cell is left out."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.headed = False
        """True if the first row has heads."""
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - of the base class
        """Begin a row or a cell."""
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"} and self.rows:
            self.headed |= tag == "th" and len(self.rows) == 1
            self.rows[-1].append("")
            self._inside = True

    def handle_endtag(self, tag: str) -> None:
        """End a cell."""
        if tag in {"td", "th"}:
            self._inside = False

    def handle_data(self, data: str) -> None:
        """Add text to the present cell."""
        if self._inside:
            self.rows[-1][-1] += data


def _lines(lines: Sequence[str]) -> Iterator[str]:
    for width, block in groupby(lines, key=lambda line: len(_fields(line))):
        together = list(block)
        yield from _block(together) if width > 1 else together


def _block(lines: Sequence[str]) -> Sequence[str]:
    """Return the Markdown rows of consecutive lines with the same number of fields; the lines if they are too few."""
    return lines if len(lines) < LEAST_ROWS else _markdown([_fields(line) for line in lines], ruled=True)


def _fields(line: str) -> list[str]:
    """Return the fields of a line of a comma-separated table; empty if it is none."""
    line = line.rstrip("\r")
    if len(line) > _LONGEST_ROW or _UNLIKELY.search(line) or not _SEPARATOR.search(line):
        return []
    comma, semicolon = line.count(","), line.count(";")
    fields = next(csv.reader([line], delimiter=";" if semicolon > comma else ","), [])
    return [] if any(field[:1].isspace() for field in fields) else fields


def _markdown(rows: Sequence[Sequence[str]], *, ruled: bool) -> list[str]:
    written = [f"| {' | '.join(' '.join(cell.split()).replace('|', '/') for cell in row)} |" for row in rows if row]
    rule = [f"|{'---|' * len(rows[0])}"] if ruled and rows else []
    return [*written[:1], *rule, *written[1:]]
