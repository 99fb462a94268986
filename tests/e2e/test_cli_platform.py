"""The platform as a whole: started, killed, started again, in one process and in several."""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from nemuri import connect_sync
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


def kill_all(platform: subprocess.Popen[str]) -> None:
    """End a platform with its workers and servers at one blow."""
    process = psutil.Process(platform.pid)
    tree = [process, *process.children(recursive=True)]
    for each in tree:
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()
    psutil.wait_procs(tree[1:], timeout=10)
    platform.communicate(timeout=10)


def test_what_was_accepted_is_done_although_everything_was_killed(alone: CommandLine) -> None:
    """Forty tasks, some with files; servers and workers killed -9 amid them; `up` again does every one of them."""
    platform = alone.up("--processes")
    definition = alone.data / "cook.yaml"
    definition.write_text(AGENT, encoding="utf-8")
    assert alone("agent", "add", definition).code == 0
    chance, words = random.Random(40), ("salt", "water", "pasta", "bread", "heat", "oven", "basil", "stock")
    with connect_sync(alone.data) as client:
        tasks = []
        for number in range(40):
            text = " ".join(chance.choices(words, k=60)) + ". "
            documents = [(f"{number}.txt", text * chance.randint(1, 30))] if chance.random() < 0.3 else []
            tasks.append(
                client.submit(f"how does {chance.choice(words)} go with {number} plates?", documents=documents)
            )
        assert client.status().tasks.get("done", 0) < len(tasks)
        kill_all(platform)
        assert processes_in(alone.data) == []

    platform = alone.up("--processes")
    with connect_sync(alone.data) as client:
        assert {client.result(task, timeout=30).status for task in tasks} == {"done"}
        client.settle()
    assert alone("verify").out.startswith("0 differences")
    assert stop(platform) == 0


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
