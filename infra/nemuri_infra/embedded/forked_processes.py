"""The platform's side of the fork server: starting it, and forking processes from it."""

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from nemuri_infra.embedded.child_processes import POLL_SECONDS, Child, ChildProcess, is_running
from nemuri_infra.embedded.fork_server import ANSWER, ForkRequest

FORK_SERVER = [sys.executable, "-m", "nemuri_infra.embedded.fork_server"]
"""First arguments of the command line of a fork server, and of all processes that are forked from it."""
UNKNOWN_EXIT_CODE = 255
"""Exit code of a process whose fork server ended before it."""


@dataclass(frozen=True, slots=True)
class ForkedProcess:
    """A process that was forked from a fork server."""

    pid: int
    found: psutil.Process | None
    """The process; None if it had already ended when it was looked up."""
    connection: socket.socket
    """Connection on which the fork server sends the exit code. If it is closed, the process gets SIGTERM."""

    def send_signal(self, sig: signal.Signals, /) -> None:
        """Send a signal to the process. Does nothing if the process has ended."""
        if self.found is not None:
            with suppress(psutil.NoSuchProcess):
                self.found.send_signal(sig)

    def kill(self) -> None:
        """End the process with SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def wait(self) -> int:
        """Wait for the end of the process and return its exit code; minus the signal's number if a signal ended it.

        If the fork server was killed, this waits for the end of the process and returns `UNKNOWN_EXIT_CODE`.
        """
        with self.connection:
            with suppress(ConnectionError):
                if code := self.connection.recv(ANSWER.size):
                    return int(ANSWER.unpack(code)[0])
            while self.found is not None and is_running(self.found):
                time.sleep(POLL_SECONDS)
            return UNKNOWN_EXIT_CODE


class ForkServerProcess(Child):
    """A fork server as a child process. It holds no state, so it may be killed and started again at any time.

    If it is killed, the processes that it has forked get another parent, by which they notice it.
    """

    def __init__(self, modules: Iterable[str], directory: Path) -> None:
        """Define a server that imports `modules`. Its log and pid file are in `directory`."""
        super().__init__("fork-server", [*FORK_SERVER, *modules], directory, stop_signal=signal.SIGKILL)
        self._starting = asyncio.Lock()
        self._control: socket.socket | None = None

    async def start(self) -> None:
        """Start the server. Does nothing if it runs. Raises ServerFailed if it cannot be started."""
        async with self._starting:
            await super().start()

    async def stop(self, grace: float | None = None) -> None:
        """End the server. Processes that it has forked and that still run have to end by themselves."""
        await super().stop(grace)
        if self._control is not None:
            self._control.close()

    async def fork(self, request: ForkRequest) -> ForkedProcess:
        """Fork a process that runs a command. The server must have been started.

        If the caller is cancelled meanwhile, the process gets SIGTERM. Raises OSError if no process was forked.
        """
        mine, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._connected(), [b"+"], [theirs.fileno()])
            pid = await _pid(mine, request)
        except ConnectionError as error:
            mine.close()
            raise OSError(f"the fork server has ended:\n{self.log_tail()}") from error
        except BaseException:
            mine.close()
            raise
        mine.settimeout(None)
        return ForkedProcess(pid, _found(pid), mine)

    async def _launch(self) -> ChildProcess:
        mine, theirs = socket.socketpair()
        with theirs:
            process = self._popen(theirs.fileno())
        if self._control is not None:
            self._control.close()
        self._control = mine
        return process

    def _connected(self) -> socket.socket:
        if self._control is None:
            raise OSError("the fork server has not been started")
        return self._control

    def _is_ours(self, process: psutil.Process) -> bool:  # noqa: ARG002
        """Return False. A server whose platform is gone ends by itself, and its children show the same command."""
        return False


async def _pid(connection: socket.socket, request: ForkRequest) -> int:
    """Send a request and return the pid of its process. Raises OSError, and ConnectionError if the server has ended."""
    loop = asyncio.get_running_loop()
    connection.settimeout(0)
    await loop.sock_sendall(connection, request.encode())
    answer = await loop.sock_recv(connection, ANSWER.size)
    if not answer:
        raise ConnectionResetError
    pid = int(ANSWER.unpack(answer)[0])
    if pid < 0:
        raise OSError(-pid, os.strerror(-pid))
    return pid


def _found(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None
