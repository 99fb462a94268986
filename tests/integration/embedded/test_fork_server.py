"""Processes forked from a fork server: their command, their end, and the end of their server."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from nemuri_infra.embedded.child_processes import is_running
from nemuri_infra.embedded.fork_server import ForkRequest
from nemuri_infra.embedded.forked_processes import UNKNOWN_EXIT_CODE, ForkedProcess, ForkServerProcess
from tests.integration.embedded.stored_data import processes_in, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
PROGRAM = """
import json, os, random, signal, sys, time
print(json.dumps({
    "arguments": sys.argv[1:], "marker": os.environ.get("MARKER"), "home": "HOME" in os.environ,
    "random": random.random(), "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    "leader": os.getsid(0) == os.getpid(), "input": sys.stdin.read(),
    "sockets": [each for each in os.listdir("/proc/self/fd") if int(each) > 2
                and os.path.exists(f"/proc/self/fd/{each}")],
}), flush=True)
match sys.argv[1]:
    case "sleep":
        time.sleep(600)
    case "fail":
        raise ValueError("failed")
    case code:
        sys.exit(int(code))
"""
"""A module that prints what it finds, and then sleeps, fails, or exits with the code in its argument."""


@pytest.fixture
async def server(directory: Path) -> AsyncIterator[ForkServerProcess]:
    """A running fork server whose processes can run the module `program`."""
    (directory / "program.py").write_text(PROGRAM, encoding="utf-8")
    server = ForkServerProcess(["random"], directory)
    await server.start()
    yield server
    await server.stop()


def request(directory: Path, argument: str, name: str = "one", **environment: str) -> ForkRequest:
    """Return the request for a process that runs `program` with an argument."""
    return ForkRequest(name, ["program", argument], environment, str(directory), str(directory / f"{name}.log"))


async def forked(server: ForkServerProcess, request: ForkRequest) -> ForkedProcess:
    """Fork a process and return it when it has printed its line."""
    process = await server.fork(request)
    log = Path(request.log)
    await until(lambda: log.exists() and log.read_text().endswith("\n"))
    return process


async def ended(process: ForkedProcess) -> int:
    """Wait for the end of a process and return its exit code."""
    return await asyncio.to_thread(process.wait)


async def test_a_forked_process_runs_the_requested_command(server: ForkServerProcess, directory: Path) -> None:
    """A forked process has only what was requested: arguments, environment, log, name, and nothing of the server."""
    process = await forked(server, request(directory, "7", MARKER="m" * 1_000_000))
    assert await ended(process) == 7
    seen = json.loads((directory / "one.log").read_text())
    assert seen.pop("random") != 0
    assert seen == {
        "arguments": ["7"], "marker": "m" * 1_000_000, "home": False, "blocked": [], "leader": True, "input": "",
        "sockets": [],
    }  # fmt: skip


async def test_forked_processes_draw_different_random_numbers(server: ForkServerProcess, directory: Path) -> None:
    """Two forked processes draw different random numbers, although they share the memory of one generator."""
    names = ("one", "two")
    for name in names:
        assert await ended(await forked(server, request(directory, "0", name))) == 0
    first, second = (json.loads((directory / f"{name}.log").read_text())["random"] for name in names)
    assert first != second


async def test_an_uncaught_exception_is_in_the_log(server: ForkServerProcess, directory: Path) -> None:
    """A forked process that fails ends with code 1, and its log has the traceback."""
    assert await ended(await forked(server, request(directory, "fail"))) == 1
    assert "ValueError: failed" in (directory / "one.log").read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
async def test_a_signal_ends_a_forked_process(
    server: ForkServerProcess, directory: Path, number: signal.Signals
) -> None:
    """A forked process receives signals. The server itself ignores those that a service manager sends to all."""
    process = await forked(server, request(directory, "sleep"))
    assert psutil.Process(process.pid).name() == "one"
    assert server.pid is not None
    for each in (signal.SIGTERM, signal.SIGINT):
        os.kill(server.pid, each)
    process.send_signal(number)
    assert await ended(process) == -number
    process.send_signal(number)
    assert await ended(await forked(server, request(directory, "3", "two"))) == 3


async def test_a_killed_server_can_be_started_again(server: ForkServerProcess, directory: Path) -> None:
    """The processes of a killed server get another parent. Their exit code is unknown, and forking fails until the
    server is started again.
    """
    process = await forked(server, request(directory, "sleep"))
    pid = server.pid
    await server.kill()
    assert psutil.Process(process.pid).ppid() != pid
    with pytest.raises(OSError, match=r"."):
        await server.fork(request(directory, "0"))
    waiting = asyncio.ensure_future(ended(process))
    await server.start()
    assert is_running(psutil.Process(process.pid))
    assert not waiting.done()
    assert await ended(await forked(server, request(directory, "4", "two"))) == 4
    process.kill()
    assert await waiting == UNKNOWN_EXIT_CODE


async def test_a_cancelled_start_leaves_no_process(server: ForkServerProcess, directory: Path) -> None:
    """A process whose start is cancelled, before or after its fork, is ended."""
    for steps in range(6):
        starting = asyncio.ensure_future(server.fork(request(directory, "sleep", f"n{steps}")))
        for _ in range(steps):
            await asyncio.sleep(0)
        if starting.cancel():
            with pytest.raises(asyncio.CancelledError):
                await starting
        else:
            (await starting).connection.close()
    kept = await forked(server, request(directory, "sleep", "kept"))
    kept.connection.close()
    await until(lambda: [process.pid for process in processes_in(directory)] == [server.pid])


async def test_the_server_ends_with_its_platform(server: ForkServerProcess, directory: Path) -> None:
    """The server ends when the platform's end of the control socket is closed, even while its processes run."""
    process = await forked(server, request(directory, "sleep"))
    assert server._control is not None
    server._control.close()
    assert await server.wait() == 0
    assert is_running(psutil.Process(process.pid))
    process.kill()
    assert await ended(process) == UNKNOWN_EXIT_CODE


async def test_a_server_that_cannot_import_says_why(directory: Path) -> None:
    """Forking fails with the server's own error if the server cannot import a module."""
    server = ForkServerProcess(["no_such_module"], directory)
    await server.start()
    with pytest.raises(OSError, match="No module named 'no_such_module'"):
        await server.fork(request(directory, "0"))
    await server.stop()
