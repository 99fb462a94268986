"""`nemuri society run FILE --runs N`: repeated runs of one file, summed up."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import environment
from tests.e2e.forking import run_forked

pytestmark = pytest.mark.connected
FILE = """
about: Three people on an island.
people:
  - {name: Mia, age: 30, role: fisher, relations: {Tom: her brother}, memories: [I was born here.]}
  - {name: Tom, role: carpenter}
generate: 1
size: 64
laws: [Share what you catch.]
"""


@pytest.fixture
def directory() -> Iterator[Path]:
    """A directory that the server's own processes can use."""
    path = Path(tempfile.mkdtemp(prefix="nemuri-cli-")).resolve()
    yield path
    shutil.rmtree(path)


@pytest.mark.long
def test_a_file_is_run_several_times_and_summed_up(directory: Path) -> None:
    """Each run is a society of its own with the same people. A name that is taken refuses all runs before the first."""
    file, nemuri = directory / "island.yaml", ["--data", str(directory / "data"), "society"]
    file.write_text(FILE, encoding="utf-8")
    command = [*nemuri, "run", str(file), "--seconds", "2", "--runs", "2"]
    [done] = run_forked([[*command, "--json"]], environment())
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert [report["society"] for report in told["runs"]] == ["island-1", "island-2"]
    assert [report["agents"] for report in told["runs"]] == [3, 3]
    answers = told["figures"]["model answers per agent and minute"]
    assert answers["mean"] == pytest.approx(sum(answers["values"]) / 2)
    [again] = run_forked([command], environment())
    assert (again.code, again.err.count("\n")) == (1, 1)
    assert "exists already" in again.err
    [listed] = run_forked([[*nemuri, "list"]], environment())
    assert [line.split()[0] for line in listed.out.splitlines()] == ["island-1", "island-2"]
