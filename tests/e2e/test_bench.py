"""The scripts that figures come from run: each in its smallest form, as `make bench QUICK=1` runs it."""

import subprocess
import sys

import pytest
from bench.__main__ import SCRIPTS

LEFT = {"throughput", "neighbours"}
"""To `make bench QUICK=1`: one takes two minutes, one wants packages that are no part of this environment."""
TRIED = [each.name for each in SCRIPTS if not (each.data or each.slow or each.name in LEFT)]


@pytest.mark.parametrize("name", TRIED)
def test_a_script_runs(name: str) -> None:
    """To its end, and prints figures; what it measured in so short a time is kept nowhere."""
    command = [sys.executable, "-m", "bench", "--quick", "--only", name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    assert f"== {name}" in done.stdout
