"""The platform started, killed and started again, in one process and in several."""

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from uuid import UUID

import psutil
import pytest

from nemuri import connect_sync
from nemuri.client.sync import SyncClient
from nemuri.platform.platform import Started, run_platform
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES
from tests.condition_waits import PATIENCE
from tests.e2e.conftest import AGENT, CommandLine, stop
from tests.integration.embedded.stored_data import processes_in, until

pytestmark = pytest.mark.connected


def kill_all(platform: subprocess.Popen[str]) -> None:
    """Kill a platform with its workers and servers at the same time."""
    process = psutil.Process(platform.pid)
    tree = [process, *process.children(recursive=True)]
    for each in tree:
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()
    psutil.wait_procs(tree[1:], timeout=PATIENCE)
    platform.communicate(timeout=PATIENCE)


def add_agent(line: CommandLine) -> None:
    """Add an agent to the platform."""
    definition = line.data / "cook.yaml"
    definition.write_text(AGENT, encoding="utf-8")
    assert line("agent", "add", definition).code == 0


def submit_tasks(client: SyncClient) -> list[UUID]:
    """Submit 40 tasks, some with documents, and return their ids."""
    chance, words = random.Random(40), ("salt", "water", "pasta", "bread", "heat", "oven", "basil", "stock")
    tasks = []
    for number in range(40):
        text = " ".join(chance.choices(words, k=60)) + ". "
        documents = [(f"{number}.txt", text * chance.randint(1, 30))] if chance.random() < 0.3 else []
        tasks.append(client.submit(f"how does {chance.choice(words)} go with {number} plates?", documents=documents))
    return tasks


@pytest.mark.long
def test_accepted_tasks_survive_kills(cli: CommandLine) -> None:
    """Accepted tasks are done although a worker, then all processes, then only the platform's own process were killed.

    Afterwards the platform refuses another embedding dimension.
    """
    platform = cli.up("--processes")
    add_agent(cli)
    worker = json.loads((cli.data / "workers" / "specialist.pid").read_text())["pid"]
    os.kill(worker, signal.SIGKILL)
    first = cli("submit", "what about salt?").out.strip()
    assert cli("result", first, "--json").json["status"] == "done"
    with connect_sync(cli.data) as client:
        tasks = submit_tasks(client)
        assert client.status().tasks.get("done", 0) < len(tasks)
        kill_all(platform)
        assert processes_in(cli.data) == []

    platform = cli.up("--processes")
    with connect_sync(cli.data) as client:
        assert {client.result(task).status for task in tasks} == {"done"}
        client.settle()
    assert cli("verify").out.startswith("0 differences")
    stop(platform, signal.SIGKILL)

    platform = cli.up()
    assert cli("result", first, "--json").json["status"] == "done"
    assert cli("verify").out.startswith("0 differences")
    assert stop(platform, signal.SIGINT) == 0
    assert processes_in(cli.data) == []

    refused = cli("up", NEMURI_EMBEDDING_DIMENSION="64")
    assert (refused.code, "nemuri reembed" in refused.err, refused.err.count("\n")) == (1, True, 1)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
async def test_workers_follow_their_fork_server_and_their_platform(cli: CommandLine) -> None:
    """The workers end and are started again if their fork server is killed. They end if their platform is killed."""
    platform = cli.up("--processes")
    add_agent(cli)
    first = _worker_pids(cli)
    assert {psutil.Process(pid).ppid() for pid in first.values()} == {_pid(cli, "fork-server")}
    with connect_sync(cli.data) as client:
        tasks = submit_tasks(client)
        os.kill(_pid(cli, "fork-server"), signal.SIGKILL)
        assert {client.result(task).status for task in tasks} == {"done"}
        client.settle()
    await until(lambda: all(pid != first[name] for name, pid in _worker_pids(cli).items()))
    assert not any(map(psutil.pid_exists, first.values()))
    assert cli("verify").out.startswith("0 differences")
    stop(platform, signal.SIGKILL)
    await until(lambda: processes_in(cli.data / "workers") == [])
    platform = cli.up()
    assert cli("verify").out.startswith("0 differences")
    assert stop(platform) == 0


def _pid(line: CommandLine, name: str) -> int:
    return int(json.loads((line.data / "workers" / f"{name}.pid").read_text())["pid"])


def _worker_pids(line: CommandLine) -> dict[str, int]:
    """Return the pids of the workers that are ready, by service."""
    workers = line.data / "workers"
    return {name: _pid(line, name) for name in SERVICES if (workers / f"{name}.ready").exists()}


async def test_a_stopped_platform_ends_its_processes(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped platform ends its worker processes. The test runs only two services."""
    monkeypatch.setattr("nemuri.platform.platform.SERVICES", {each: SERVICES[each] for each in ("intake", "query-api")})
    settings = Settings(data=cli.data, providers="extractive", embedder="built-in")
    stopping, workers = asyncio.Event(), Home(cli.data).workers

    def ready(_: Started) -> None:
        pids = [json.loads((workers / f"{each}.pid").read_text())["pid"] for each in ("intake", "query-api")]
        assert [psutil.Process(pid).is_running() for pid in pids] == [True, True]
        stopping.set()

    await run_platform(settings, processes=True, stop=stopping, ready=ready)
    assert stopping.is_set()
    assert processes_in(cli.data) == []
