"""The workflows of GitHub: their schema, and the targets whose work they let be done."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SCHEMA = "vendor.github-workflows"
"""GitHub's schema, which comes with the library."""


def checked(path: Path) -> subprocess.CompletedProcess[str]:
    """Return what the library says of a workflow."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", SCHEMA, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_valid(path: Path) -> None:
    """GitHub would take the file."""
    done = checked(path)
    assert done.returncode == 0, done.stdout


def test_an_invalid_workflow_is_found(tmp_path: Path) -> None:
    """A job without a machine is no job."""
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(WORKFLOWS[0].read_text(encoding="utf-8").replace("runs-on:", "runs:"), encoding="utf-8")
    assert "runs-on" in checked(wrong).stdout


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_its_targets_exist(path: Path) -> None:
    """Each target that a workflow makes is one of the Makefile's, so that it can be made on any machine."""
    made = set(re.findall(r"\bmake ([\w./-]+)", path.read_text(encoding="utf-8")))
    known = set(re.findall(r"^([\w./-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert made
    assert made <= known | {".venv/.installed-dev"}
