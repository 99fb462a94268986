"""The benchmark scripts run in their smallest form, as with `make bench QUICK=1`."""

import subprocess
import sys

import pytest
from bench.__main__ import SCRIPTS

EXCLUDED = {"throughput", "neighbours", "worker_memory", "cost"}
"""Scripts that only `make bench QUICK=1` runs: one takes two minutes, one needs packages that are missing here, one
starts all workers. The budget's test measures the cost.
"""
pytestmark = pytest.mark.long  # in the gate the type checker reads the scripts; `make bench QUICK=1` runs them
INCLUDED = [script.name for script in SCRIPTS if not (script.data or script.slow or script.name in EXCLUDED)]


@pytest.mark.parametrize("name", INCLUDED)
def test_a_script_runs(name: str) -> None:
    """A script runs to its end and prints its figures."""
    command = [sys.executable, "-m", "bench", "--quick", "--only", name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    assert f"== {name}" in done.stdout
