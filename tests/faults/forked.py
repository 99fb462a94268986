"""A worker that is forked from a process with the program's imports behind it: it is up, and up again, much sooner."""

import os
import signal
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from nemuri.platform.workers import Worker
from nemuri_infra.embedded.child_processes import _exit_of
from tests.e2e.forking import exit_code, fork, run_command


@dataclass(frozen=True, slots=True)
class Process:
    """A forked process, with what is asked of one that was executed."""

    forked: ForkServerProcess
    pid: int

    def send_signal(self, which: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if exit_code(self.forked, 0) is None:
            os.kill(self.pid, which)

    def kill(self) -> None:
        """End it with SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def wait(self) -> int:
        """Return the exit code when it has ended (negative: the signal)."""
        code = exit_code(self.forked)
        assert code is not None
        return code


class Forked(Worker):
    """The same command in a process of its own, to be killed like any other."""

    def _spawn(self) -> None:
        variables = dict(self._environment or os.environ)
        started = fork(_work, self.command[3:], variables, self.directory, self.log)
        assert started.pid is not None
        process = Process(started, started.pid)
        self._process, self._exit = process, _exit_of(process, self.name)  # type: ignore[assignment,arg-type]


def _work(arguments: list[str], variables: dict[str, str], directory: Path, log: Path) -> None:
    """The worker's command, with who has forked it as its parent: when that is gone, so is the worker."""
    os.setsid()
    os.chdir(directory)
    arguments[arguments.index("--parent") + 1] = str(os.getppid())
    run_command(arguments, variables, log, log)
