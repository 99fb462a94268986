"""Tables where there is little room."""

import io
import sys

import pytest

from nemuri.terminal.output import fitting, reading, table

COLUMNS = ["memory", "status", "strength", "seen", "content"]
ROWS = [["0" * 36, "archived", "0.500", "3", "x" * 80]]


@pytest.mark.parametrize(
    ("width", "left"),
    [
        (200, COLUMNS),
        (96, COLUMNS),
        (88, ["memory", "status", "strength", "content"]),
        (80, ["memory", "strength", "content"]),
    ],
)
def test_columns_go_before_the_content_is_squeezed(width: int, left: list[str]) -> None:
    """The last column keeps 30 columns for as long as there is anything to leave out."""
    names, rows = fitting(COLUMNS, ROWS, width, ("seen", "status"))
    assert names == left
    assert (rows[0][0], rows[0][-1]) == ("0" * 36, "x" * 80)


def test_ids_are_cut_at_last() -> None:
    """Only where no column is left to go, and then to what still tells most of them apart."""
    assert fitting(COLUMNS, ROWS, 60, ("seen", "status"))[1] == [["0" * 8, "0.500", "x" * 80]]


def test_what_is_piped_is_as_wide_as_columns_says(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No line is longer, none ends with spaces, and no status is broken over two lines."""
    monkeypatch.setenv("COLUMNS", "80")
    table(COLUMNS, ROWS, numbers=("strength", "seen"), spare=("seen", "strength"))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line != line.rstrip()] == []
    assert "  archived  " in lines[1]


def test_a_bar_is_there_as_soon_as_parts_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not for a task without documents."""
    written = _Terminal()
    monkeypatch.setattr(sys, "stderr", written)
    monkeypatch.setenv("TERM", "xterm")
    with reading("on its way") as show:
        show("submitted", 0, 0)
    before = written.getvalue()
    with reading("on its way") as show:
        show("3 of 4 parts read", 3, 4)
    assert "submitted" in before
    assert "━" not in before
    assert "3 of 4 parts read" in written.getvalue()
    assert "━" in written.getvalue()


class _Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        """It is one."""
        return True
