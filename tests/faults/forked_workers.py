"""Workers forked from a process that has already imported the program, so that they start and restart faster."""

import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from nemuri.platform.workers import Worker
from nemuri_infra.embedded.child_processes import _exit_of
from tests.e2e.forking import exit_code, fork, run_command


@dataclass(frozen=True, slots=True)
class ForkedProcess:
    """A forked process with the methods that `Worker` uses of a subprocess."""

    forked: ForkServerProcess
    pid: int

    def send_signal(self, which: signal.Signals) -> None:
        """Send the process a signal, unless it has ended."""
        if exit_code(self.forked, 0) is None:
            with suppress(ProcessLookupError):  # The process may have ended since the check.
                os.kill(self.pid, which)

    def kill(self) -> None:
        """End the process with SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def wait(self) -> int:
        """Wait for the end of the process and return its exit code, negative for a signal."""
        code = exit_code(self.forked)
        assert code is not None
        return code


class ForkedWorker(Worker):
    """A worker that runs its command in a forked process."""

    def _spawn(self) -> None:
        variables = dict(self._environment or os.environ)
        started = fork(_work, self.command[3:], variables, self.directory, self.log)
        assert started.pid is not None
        process = ForkedProcess(started, started.pid)
        self._process, self._exit = process, _exit_of(process, self.name)  # type: ignore[assignment,arg-type]


def _work(arguments: list[str], variables: dict[str, str], directory: Path, log: Path) -> None:
    """Run a worker's command as a child of the forking process. The worker ends when that process ends."""
    os.setsid()
    os.chdir(directory)
    arguments[arguments.index("--parent") + 1] = str(os.getppid())
    run_command(arguments, variables, log, log)
