"""The command that starts this program, as it is told to others."""

import sys
from pathlib import Path

import pytest

from nemuri.platform.program_path import program_command


def test_the_name_is_told_only_where_the_path_leads_to_this_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command is the program's name if the PATH leads to it, and otherwise its whole path, quoted for a shell."""
    folder, other = tmp_path / "our programs", tmp_path / "other"
    for each in (folder, other):
        each.mkdir()
        (each / "nemuri").write_text("#!/bin/sh\n")
        (each / "nemuri").chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(folder / "nemuri"), "hook", "prompt"])
    for path, wanted in (
        (f"{tmp_path}:{folder}:{other}", "nemuri"),
        (f"{other}:{folder}", f"'{folder}/nemuri'"),
        (str(tmp_path), f"'{folder}/nemuri'"),
    ):
        monkeypatch.setenv("PATH", path)
        assert program_command() == wanted
