"""Output of results: tables and lines for people, JSON for programs, progress on a terminal."""

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from rich.cells import cell_len
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

PIPE_WIDTH = 200
"""Width in columns of a table that is not written to a terminal, unless COLUMNS is set."""
READABLE = 30
"""Minimum width of the last column of a table."""
COLUMN_GAP = 2
"""Spaces between two columns of a table."""
IDS = ("id", "task", "memory", "webhook")
SHORT_ID = 8
"""Number of characters of an id in a table that is too narrow for whole ids."""


def console() -> Console:
    """Return a console for standard output. It does not interpret markup, which memories and answers may contain."""
    width = None if sys.stdout.isatty() else shutil.get_terminal_size((PIPE_WIDTH, 0)).columns
    return Console(markup=False, emoji=False, highlight=False, width=width, soft_wrap=True)


def say(text: str) -> None:
    """Print one or several lines for people."""
    console().print(Text(printable(text)))


def say_json(value: object) -> None:
    """Print one JSON value on standard output, indented and with non-ASCII characters unescaped."""
    print(json.dumps(_plain(value), ensure_ascii=False, indent=2))


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numbers: Iterable[str] = (),
    spare: Iterable[str] = (),
) -> None:
    """Print a table. Columns named in `numbers` are aligned to the right.

    If the last column is too narrow, the columns in `spare` are dropped in this order, then ids are cut.
    """
    screen, right = console(), set(numbers)
    cells = [[printable(str(cell)) for cell in row] for row in rows]
    names, cells = fitting(list(columns), cells, screen.width, spare)
    drawn = Table(box=None, header_style="bold", pad_edge=False, padding=(0, COLUMN_GAP // 2))
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
    """Return the columns and rows of a table, reduced until the last column is wide enough.

    The last column is wide enough at `READABLE` characters, or when its content fits. Columns in `spare` are dropped in
    this order until that is reached, then ids are cut to `SHORT_ID` characters. `width` is the width of the table in
    characters.
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
    """Return True if the last column is wide enough (see `fitting`)."""
    widths = [max(map(cell_len, column)) for column in zip(columns, *rows, strict=True)]
    return width - sum(widths[:-1]) - COLUMN_GAP * (len(widths) - 1) >= min(READABLE, widths[-1])


def printable(text: str) -> str:
    """Return the text without control characters, which could change the state of a terminal."""
    return "".join(
        character if character.isprintable() or character in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def short(text: str, length: int = 100) -> str:
    """Return the text on one line of at most `length` characters. A text that was cut ends in "…"."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


@contextmanager
def progress(description: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on stderr. Yield a function (done, total) that updates it.

    Shows nothing if stderr is not a terminal.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        line = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(line, completed=done, total=total)


@contextmanager
def waiting(description: str) -> Iterator[Callable[[str], None]]:
    """Show a spinner on stderr. Yield a function that changes its text.

    Shows nothing if stderr is not a terminal.
    """
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as spinner:
        line = spinner.add_task(description, total=None)
        yield lambda text: spinner.update(line, description=printable(text))


@dataclass(frozen=True, slots=True)
class ProgressLine:
    """A spinner on stderr, with a progress bar as soon as the number of parts to read is known."""

    bar: Progress
    line: TaskID

    def update(self, text: str, done: int, total: int) -> None:
        """Show a text, the number of parts read and the number of all parts."""
        self.bar.update(self.line, description=printable(text), completed=done, total=total or None)

    def end(self) -> None:
        """Remove the line for good. What is printed afterwards does not collide with it."""
        self.bar.stop()


@contextmanager
def reading(description: str) -> Iterator[ProgressLine]:
    """Show a progress line during the context. It shows nothing if stderr is not a terminal."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), _PartsColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        yield ProgressLine(bar, bar.add_task(description, total=None))


class _PartsColumn(BarColumn):
    """A progress bar that is visible only while there is a total."""

    def render(self, task: Task) -> ProgressBar | Text:  # type: ignore[override]
        return super().render(task) if task.total else Text()


def _plain(value: object) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {str(key): _plain(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(element) for element in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
