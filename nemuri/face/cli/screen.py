"""How results look: tables and lines for people, JSON for programs, progress on a terminal."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

PIPE_WIDTH = 200
"""Columns of a table that does not go to a terminal."""


def console() -> Console:
    """Standard output, without any interpretation of what memories and answers contain."""
    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return Console(markup=False, emoji=False, highlight=False, width=width, soft_wrap=True)


def say(text: str) -> None:
    """A line, or several, for people."""
    console().print(Text(printable(text)))


def say_json(value: object) -> None:
    """One JSON value on standard output, indented, not escaped."""
    print(json.dumps(_plain(value), ensure_ascii=False, indent=2))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Iterable[str] = ()) -> None:
    """A table; ids are never cut, `numbers` names the columns that are aligned to the right."""
    right = set(numbers)
    drawn = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        whole = column in {"id", "task", "memory", "agent"} or column in right
        justify = "right" if column in right else "left"
        drawn.add_column(column, justify=justify, no_wrap=whole, overflow="fold")  # type: ignore[arg-type]
    for row in rows:
        drawn.add_row(*(Text(printable(str(cell))) for cell in row))
    console().print(drawn, soft_wrap=False)


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


def _plain(value: object) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
