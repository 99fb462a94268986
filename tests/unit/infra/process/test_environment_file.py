"""Tests of files with environment variables."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_infra.process.environment_file import (
    EnvironmentFileBroken,
    environment_text,
    load_environment,
    read_environment,
)

VALUES = st.text(st.characters(codec="utf-8")).filter(
    lambda each: len((each + "x").splitlines()) == 1 and "\0" not in each
)


@given(st.dictionaries(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*", fullmatch=True), VALUES, max_size=3))
def test_written_variables_are_read_again(tmp_path_factory: pytest.TempPathFactory, variables: dict[str, str]) -> None:
    """Values with quotes, spaces, `#`, `$` and backslashes are read as they were written."""
    path = tmp_path_factory.getbasetemp() / "variables.env"
    path.write_text(environment_text(variables), encoding="utf-8")
    assert read_environment(path) == variables


def test_a_file_is_read_as_a_person_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comments and empty lines are skipped, quotes around a value are removed, and the file replaces the
    environment.
    """
    path = tmp_path / "service.env"
    path.write_text("# a comment\n\nNEMURI_A=one # two\r\n NEMURI_B='it's' \nNEMURI_C=\"$HOME\"\nNEMURI_D=\n")
    monkeypatch.setenv("NEMURI_A", "before")
    for name in "BCD":
        monkeypatch.delenv(f"NEMURI_{name}", raising=False)
        monkeypatch.setenv(f"NEMURI_{name}", "before")
    load_environment(path)
    assert [os.environ[f"NEMURI_{name}"] for name in "ABCD"] == ["one # two", "it's", "$HOME", ""]


@pytest.mark.parametrize("line", [b"NEMURI_A", b"export A=1", b"1A=1", b"=1", b"A=\xff", b"A=1\0"])
def test_a_broken_file_is_named_with_its_line(line: bytes, tmp_path: Path) -> None:
    """A line that is no variable is named by file and number, and nothing is set."""
    path = tmp_path / "service.env"
    path.write_bytes(b"NEMURI_TEST_OF_A_FILE=1\n" + line + b"\n")
    with pytest.raises(EnvironmentFileBroken, match=r"service.env (line 2 is not NAME=VALUE|is not UTF-8)"):
        load_environment(path)
    assert "NEMURI_TEST_OF_A_FILE" not in os.environ


@pytest.mark.parametrize("value", ["a\nb", "a\u2028b", "a\n", "\udcff"])
def test_a_value_that_a_line_cannot_hold_is_refused(value: str) -> None:
    """A value with several lines or invalid Unicode is refused, and the message does not contain it."""
    with pytest.raises(EnvironmentFileBroken, match="KEY ") as refused:
        environment_text({"KEY": value})
    assert value not in str(refused.value)
