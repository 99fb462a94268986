"""`nemuri down`, and the next `nemuri up`, after the platform itself was killed."""

import asyncio
import contextlib
import json
import signal
import subprocess
import sys

import psutil
import pytest

from nemuri.platform.platform import Started, run_platform
from nemuri_infra.embedded.child_processes import is_running
from tests.e2e.conftest import CommandLine, stop
from tests.integration.embedded.stored_data import processes_in
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected


def names_in(line: CommandLine) -> set[str]:
    """Return the names of the servers that run in the data directory."""
    found = set[str]()
    for process in processes_in(line.data):
        with contextlib.suppress(psutil.NoSuchProcess):  # a worker that ends at this moment
            found.add(process.name())
    return found & {"nats-server", "postgres"}


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_down_ends_what_a_killed_platform_left(cli: CommandLine) -> None:
    """End the servers and a worker that does not notice the kill, which is stopped, and then say that nothing runs."""
    platform = cli.up("--processes")
    worker = psutil.Process(json.loads((cli.data / "workers" / "intake.pid").read_text())["pid"])
    worker.suspend()
    stop(platform, signal.SIGKILL)
    assert names_in(cli) == {"nats-server", "postgres"}
    done = cli("down")
    assert (done.code, done.err) == (0, "")
    told = "had been killed; ended what it left behind: workers, nats, postgres"
    assert done.out == f"the platform in {cli.data} {told}\n"
    assert not is_running(worker)
    assert processes_in(cli.data) == []
    again = cli("down")
    assert (again.code, again.err) == (1, f"nemuri: no platform runs in {cli.data}\n")


@pytest.mark.long
def test_down_ends_nothing_of_another_directory(cli: CommandLine, nemuri: CommandLine) -> None:
    """The servers and the platform of another data directory go on."""
    others = processes_in(nemuri.data)
    stop(cli.up("--no-window"), signal.SIGKILL)
    assert cli("down").code == 0
    assert processes_in(cli.data) == []
    assert all(other.is_running() for other in others)
    assert nemuri("status").code == 0


@pytest.mark.long
async def test_the_next_platform_with_other_servers_ends_what_was_left(cli: CommandLine) -> None:
    """Servers that a killed platform left behind are ended, even if the next platform has servers elsewhere."""
    await asyncio.to_thread(_start_and_kill, cli)
    assert names_in(cli) == {"nats-server", "postgres"}
    stopping, left = asyncio.Event(), list[str]()

    def ready(_: Started) -> None:
        left.extend(names_in(cli))
        stopping.set()

    async with Servers.running(careful=False) as servers:
        settings = servers.settings().model_copy(update={"data": cli.data})
        await run_platform(settings, processes=False, stop=stopping, ready=ready)
    assert stopping.is_set()
    assert left == []


def _start_and_kill(line: CommandLine) -> None:
    platform: subprocess.Popen[str] = line.up("--no-window")
    stop(platform, signal.SIGKILL)
