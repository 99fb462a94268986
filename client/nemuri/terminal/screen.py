"""How results look: tables and lines for people, JSON for programs, progress on a terminal."""

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

PIPE_WIDTH = 200
"""Columns of a table that does not go to a terminal, unless COLUMNS says otherwise."""
READABLE = 30
"""Columns that the last column of a table needs."""
GAP = 2
"""Columns between two columns of a table."""
IDS = ("id", "task", "memory")
SHORT_ID = 8
"""Characters of an id where the whole one leaves no room."""


def console() -> Console:
    """Standard output, without any interpretation of what memories and answers contain."""
    width = None if sys.stdout.isatty() else shutil.get_terminal_size((PIPE_WIDTH, 0)).columns
    return Console(markup=False, emoji=False, highlight=False, width=width, soft_wrap=True)


def say(text: str) -> None:
    """A line, or several, for people."""
    console().print(Text(printable(text)))


def say_json(value: object) -> None:
    """One JSON value on standard output, indented, not escaped."""
    print(json.dumps(_plain(value), ensure_ascii=False, indent=2))


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numbers: Iterable[str] = (),
    spare: Iterable[str] = (),
) -> None:
    """A table; `numbers` names the columns that are aligned to the right.

    Where the last column has no room, those of `spare` are left out, the first of them first, and then ids are cut.
    """
    screen, right = console(), set(numbers)
    cells = [[printable(str(cell)) for cell in row] for row in rows]
    names, cells = fitting(list(columns), cells, screen.width, spare)
    drawn = Table(box=None, header_style="bold", pad_edge=False, padding=(0, GAP // 2))
    for column in names:
        whole = column in {*IDS, "agent", "status"} or column in right
        justify = "right" if column in right else "left"
        drawn.add_column(column, justify=justify, no_wrap=whole, overflow="fold")  # type: ignore[arg-type]
    for row in cells:
        drawn.add_row(*map(Text, row))
    with screen.capture() as captured:
        screen.print(drawn, soft_wrap=False)
    sys.stdout.write("".join(line.rstrip() + "\n" for line in captured.get().splitlines()))


def fitting(
    columns: list[str], rows: list[list[str]], width: int, spare: Iterable[str]
) -> tuple[list[str], list[list[str]]]:
    """The columns and rows of a table that leave its last column `READABLE` columns of the width, or all it needs.

    Columns of `spare` go in their order for as long as there is no room, then ids are cut to `SHORT_ID` characters.
    """
    for name in spare:
        if _room(columns, rows, width):
            return columns, rows
        if name in columns:
            at = columns.index(name)
            columns = columns[:at] + columns[at + 1 :]
            rows = [row[:at] + row[at + 1 :] for row in rows]
    if not _room(columns, rows, width):
        ids = [column in IDS for column in columns]
        rows = [[cell[:SHORT_ID] if is_id else cell for cell, is_id in zip(row, ids, strict=True)] for row in rows]
    return columns, rows


def _room(columns: list[str], rows: list[list[str]], width: int) -> bool:
    """Whether the last column has the room that it needs."""
    widths = [max(map(cell_len, column)) for column in zip(columns, *rows, strict=True)]
    return width - sum(widths[:-1]) - GAP * (len(widths) - 1) >= min(READABLE, widths[-1])


def printable(text: str) -> str:
    """The text without control characters, which could do something to a terminal."""
    return "".join(each if each.isprintable() or each in "\n\t" else "\N{REPLACEMENT CHARACTER}" for each in text)


def short(text: str, length: int = 100) -> str:
    """The text on one line, cut to a length."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


@contextmanager
def progress(description: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr that is moved by calls of (done, total); nothing where stderr is no terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        line = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(line, completed=done, total=total)


@contextmanager
def waiting(description: str) -> Iterator[Callable[[str], None]]:
    """A spinner on stderr whose text is changed by calls; nothing where stderr is no terminal."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as spinner:
        line = spinner.add_task(description, total=None)
        yield lambda text: spinner.update(line, description=printable(text))


@contextmanager
def reading(description: str) -> Iterator[Callable[[str, int, int], None]]:
    """A spinner on stderr, with a bar as soon as there are documents to read; nothing where stderr is no terminal.

    It is changed by calls of (text, parts read, parts).
    """
    columns = (SpinnerColumn(), TextColumn("{task.description}"), _PartsColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        line = bar.add_task(description, total=None)
        yield lambda text, done, total: bar.update(
            line, description=printable(text), completed=done, total=total or None
        )


class _PartsColumn(BarColumn):
    """A bar that is there only while something is counted."""

    def render(self, task: Task) -> ProgressBar | Text:  # type: ignore[override]
        return super().render(task) if task.total else Text()


def _plain(value: object) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
