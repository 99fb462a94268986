"""Tests of tables in narrow terminals."""

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
def test_columns_are_dropped_before_the_content_is_narrowed(width: int, left: list[str]) -> None:
    """In a narrow terminal, columns are dropped before the last column gets narrower than 30 characters."""
    names, rows = fitting(COLUMNS, ROWS, width, ("seen", "status"))
    assert names == left
    assert (rows[0][0], rows[0][-1]) == ("0" * 36, "x" * 80)


def test_ids_are_shortened_last() -> None:
    """Ids are shortened only if no column can be dropped. They stay long enough that most are distinct."""
    assert fitting(COLUMNS, ROWS, 60, ("seen", "status"))[1] == [["0" * 8, "0.500", "x" * 80]]


def test_piped_output_has_the_width_of_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In piped output no line is longer than the variable COLUMNS or ends with spaces, and no status is wrapped."""
    monkeypatch.setenv("COLUMNS", "80")
    table(COLUMNS, ROWS, numbers=("strength", "seen"), spare=("seen", "strength"))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line != line.rstrip()] == []
    assert "  archived  " in lines[1]


def test_a_progress_bar_appears_when_parts_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A progress bar appears once the parts of a task are counted. A task without documents has none."""
    written = _Terminal()
    monkeypatch.setattr(sys, "stderr", written)
    monkeypatch.setenv("TERM", "xterm")
    with reading("on its way") as line:
        line.update("submitted", 0, 0)
    before = written.getvalue()
    with reading("on its way") as line:
        line.update("3 of 4 parts read", 3, 4)
    assert "submitted" in before
    assert "━" not in before
    assert "3 of 4 parts read" in written.getvalue()
    assert "━" in written.getvalue()


class _Terminal(io.StringIO):
    """A stream that stores its text and claims to be a terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True
