"""The fork server: a process that has imported a program, and forks a child for each command of that program.

    python -m nemuri_infra.embedded.fork_server MODULE...

The children share the memory of the imported modules. Standard input is the control socket. Each message on it is one
byte together with the file descriptor of a new connection, over which the platform sends a `ForkRequest`. The answers
have four bytes each: first the pid of the child, or minus the error number if the fork failed; then the exit code, when
the child has ended.

The server ends when the control socket is closed, because the platform has ended then. The children have to notice that
their parent has changed. A child whose own connection is closed gets SIGTERM.
"""

import gc
import json
import os
import runpy
import selectors
import signal
import socket
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from importlib import import_module
from pathlib import Path
from typing import NoReturn, Self

ANSWER = struct.Struct("!i")
"""Format of a pid or an exit code on a connection."""
BLOCKED = (signal.SIGINT, signal.SIGTERM)
"""Signals that only the children receive. A service manager sends them to all processes of a service at once."""


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """A command that a child process runs."""

    name: str
    """Name of the process in process monitors. Linux shows the first 15 characters."""
    arguments: Sequence[str]
    """Arguments of the interpreter after `-m`: a module and its arguments."""
    environment: dict[str, str]
    directory: str
    """Working directory."""
    log: str
    """File to which both outputs are appended."""

    def encode(self) -> bytes:
        """Return the request as a line of JSON."""
        return json.dumps(astuple(self)).encode() + b"\n"

    @classmethod
    def receive(cls, connection: socket.socket) -> Self | None:
        """Return the request that arrives on a connection; None if the connection is closed before its end."""
        with suppress(ConnectionError), connection.makefile("rb") as lines:
            line = lines.readline()
            return cls(*json.loads(line)) if line.endswith(b"\n") else None
        return None


class ForkServer:
    """The control socket, and one connection for each child."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._wakes, self._woken = socket.socketpair()
        self._connections: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()

    def run(self) -> None:
        """Fork children until the control socket is closed. In a child this never returns."""
        for end in (self._woken, self._wakes):
            end.settimeout(0)
        signal.set_wakeup_fd(self._wakes.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(self._control, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        while self._step():
            self._reap()

    def _step(self) -> bool:
        """Handle the next events. Return False if the control socket is closed."""
        for key, _ in self._selector.select():
            if key.fileobj is self._control:
                _, descriptors, _, _ = socket.recv_fds(self._control, 1, 1)
                if not descriptors:
                    return False
                self._fork(socket.socket(fileno=descriptors[0]))
            elif key.fileobj is self._woken:
                self._woken.recv(4096)
            elif (pid := key.data) in self._connections:
                self._selector.unregister(key.fileobj)
                os.kill(pid, signal.SIGTERM)  # The pid is not reused, because the child has not been reaped.
        return True

    def _fork(self, connection: socket.socket) -> None:
        """Fork a child for the request that arrives on a connection."""
        request = ForkRequest.receive(connection)
        if request is None:
            connection.close()
            return
        try:
            pid = os.fork()
        except OSError as error:
            _answer(connection, -(error.errno or 1))
            connection.close()
            return
        if pid == 0:
            connection.close()
            self._leave()
            _run(request)
        self._connections[pid] = connection
        self._selector.register(connection, selectors.EVENT_READ, pid)
        _answer(connection, pid)

    def _reap(self) -> None:
        """Send the exit codes of the children that have ended, and close their connections."""
        with suppress(ChildProcessError):  # There are no children.
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                pid, status = ended
                with self._connections.pop(pid) as connection:
                    with suppress(KeyError):  # The platform has closed its end before.
                        self._selector.unregister(connection)
                    _answer(connection, os.waitstatus_to_exitcode(status))

    def _leave(self) -> None:
        """Give up everything of the server in a forked child."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        for open_socket in (self._control, self._wakes, self._woken, *self._connections.values()):
            open_socket.close()


def _answer(connection: socket.socket, number: int) -> None:
    with suppress(OSError):  # The platform has closed its end. Then the child gets SIGTERM.
        connection.sendall(ANSWER.pack(number))


def _run(request: ForkRequest) -> NoReturn:
    """Run a command in this forked process, and exit."""
    os.setsid()
    os.chdir(request.directory)
    log = os.open(request.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    for output in (1, 2):
        os.dup2(log, output)
    os.close(log)
    with suppress(OSError):
        Path("/proc/self/comm").write_text(request.name, encoding="utf-8")
    os.environ.clear()
    os.environ.update(request.environment)
    gc.enable()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, BLOCKED)
    sys.argv = list(request.arguments)
    runpy.run_module(request.arguments[0], run_name="__main__", alter_sys=True)
    sys.exit()


def main() -> None:
    """Import the modules in the arguments, and serve."""
    signal.pthread_sigmask(signal.SIG_BLOCK, BLOCKED)
    control, nothing = socket.socket(fileno=os.dup(0)), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    gc.disable()  # A collection would leave holes in the pages that are shared, and children would write into them.
    for module in sys.argv[1:]:
        import_module(module)
    gc.freeze()
    ForkServer(control).run()


if __name__ == "__main__":
    main()
