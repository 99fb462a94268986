"""The platform as a whole: started, killed, started again, in one process and in several."""

import asyncio
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
from uuid import UUID

import psutil
import pytest

from nemuri import connect_sync
from nemuri.client.sync import SyncClient
from nemuri.platform.platform import run_platform
from nemuri.platform.service_registry import SERVICES
from nemuri_infra.embedded.data_directory import Addresses, Home
from nemuri_infra.runtime.settings import Settings
from tests.e2e.conftest import AGENT, CommandLine, stop
from tests.integration.embedded.evidence import processes_in

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


def taught(line: CommandLine) -> None:
    """The platform has an agent."""
    definition = line.data / "cook.yaml"
    definition.write_text(AGENT, encoding="utf-8")
    assert line("agent", "add", definition).code == 0


def forty(client: SyncClient) -> list[UUID]:
    """Tasks that were accepted, some with files."""
    chance, words = random.Random(40), ("salt", "water", "pasta", "bread", "heat", "oven", "basil", "stock")
    tasks = []
    for number in range(40):
        text = " ".join(chance.choices(words, k=60)) + ". "
        documents = [(f"{number}.txt", text * chance.randint(1, 30))] if chance.random() < 0.3 else []
        tasks.append(client.submit(f"how does {chance.choice(words)} go with {number} plates?", documents=documents))
    return tasks


def test_killed_as_often_as_one_likes_it_starts_again_and_loses_nothing(alone: CommandLine) -> None:
    """A worker killed; servers and workers killed -9 amid forty tasks; the platform alone killed -9; `up` each time.

    Everything that was accepted is done; then another embedder is refused.
    """
    platform = alone.up("--processes")
    taught(alone)
    worker = json.loads((alone.data / "workers" / "specialist.pid").read_text())["pid"]
    os.kill(worker, signal.SIGKILL)
    first = alone("submit", "what about salt?").out.strip()
    assert alone("result", first, "--json").json["status"] == "done"
    with connect_sync(alone.data) as client:
        tasks = forty(client)
        assert client.status().tasks.get("done", 0) < len(tasks)
        kill_all(platform)
        assert processes_in(alone.data) == []

    platform = alone.up("--processes")
    with connect_sync(alone.data) as client:
        assert {client.result(task, timeout=30).status for task in tasks} == {"done"}
        client.settle()
    assert alone("verify").out.startswith("0 differences")
    stop(platform, signal.SIGKILL)

    platform = alone.up()
    assert alone("result", first, "--json").json["status"] == "done"
    assert alone("verify").out.startswith("0 differences")
    assert stop(platform, signal.SIGINT) == 0
    assert processes_in(alone.data) == []

    refused = alone("up", NEMURI_EMBEDDING_DIMENSION="64")
    assert (refused.code, "nemuri reembed" in refused.err, refused.err.count("\n")) == (1, True, 1)


async def test_told_to_stop_it_ends_all_its_processes(alone: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """In several processes, too; two services show it as well as all of them."""
    monkeypatch.setattr("nemuri.platform.platform.SERVICES", {each: SERVICES[each] for each in ("intake", "query-api")})
    settings = Settings(data=alone.data, providers="extractive", embedder="hashing")
    stopping, workers = asyncio.Event(), Home(alone.data).workers

    def ready(_addresses: Addresses, _told: dict[str, str]) -> None:
        pids = [json.loads(each.read_text())["pid"] for each in workers.glob("*.pid")]
        assert [psutil.Process(each).is_running() for each in pids] == [True, True]
        stopping.set()

    await run_platform(settings, processes=True, stop=stopping, ready=ready)
    assert stopping.is_set()
    assert processes_in(alone.data) == []
