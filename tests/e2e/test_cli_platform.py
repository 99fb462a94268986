"""The platform as a whole: started, killed, started again, in one process and in several."""

import json
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.connected.embedded.evidence import processes_in
from tests.e2e.conftest import AGENT, CommandLine, stop

pytestmark = pytest.mark.connected


@pytest.fixture
def alone() -> Iterator[CommandLine]:
    """The command line of a data directory of its own, without processes afterwards."""
    path = Path(tempfile.mkdtemp(prefix="nemuri-alone-")).resolve()
    yield CommandLine(path)
    left = processes_in(path)
    for process in left:
        process.kill()
    psutil.wait_procs(left, timeout=5)
    shutil.rmtree(path)
    assert left == [], "the test left processes behind"


def test_killed_with_all_its_workers_it_starts_again_and_loses_nothing(alone: CommandLine) -> None:
    """`up --processes`, a worker killed, the platform killed -9, `up` again; then another embedder is refused."""
    platform = alone.up("--processes")
    definition = alone.data / "cook.yaml"
    definition.write_text(AGENT, encoding="utf-8")
    assert alone("agent", "add", definition).code == 0
    worker = json.loads((alone.data / "workers" / "specialist.pid").read_text())["pid"]
    os.kill(worker, signal.SIGKILL)
    task = alone("submit", "what about salt?").out.strip()
    assert alone("result", task, "--json").json["status"] == "done"
    stop(platform, signal.SIGKILL)

    platform = alone.up()
    assert alone("result", task, "--json").json["status"] == "done"
    assert alone("verify").out.startswith("0 differences")
    assert stop(platform, signal.SIGINT) == 0
    assert processes_in(alone.data) == []

    refused = alone("up", NEMURI_EMBEDDING_DIMENSION="64")
    assert (refused.code, "nemuri reembed" in refused.err, refused.err.count("\n")) == (1, True, 1)
