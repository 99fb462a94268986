"""A worker that is forked from a process with the program's imports behind it: it is up, and up again, much sooner."""

import os
import signal
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from nemuri.face.workers import Worker
from nemuri.infra.embedded.processes import _exit_of
from tests.e2e.forking import become, server


@dataclass(frozen=True, slots=True)
class Process:
    """A forked process, with what is asked of one that was executed."""

    forked: ForkServerProcess
    pid: int

    def send_signal(self, which: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if self.forked.is_alive():
            os.kill(self.pid, which)

    def kill(self) -> None:
        """End it with SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def wait(self) -> int:
        """Return the exit code when it has ended (negative: the signal)."""
        self.forked.join()
        code = self.forked.exitcode
        assert code is not None
        return code


class Forked(Worker):
    """The same command in a process of its own, to be killed like any other."""

    def _spawn(self) -> None:
        started = server().Process(
            target=_work, args=(self.command[3:], dict(self._environment or os.environ), self.directory, self.log)
        )
        started.start()
        assert started.pid is not None
        process = Process(started, started.pid)
        self._process, self._exit = process, _exit_of(process, self.name)  # type: ignore[assignment,arg-type]


def _work(arguments: list[str], variables: dict[str, str], directory: Path, log: Path) -> None:
    """The worker's command, with who has forked it as its parent: when that is gone, so is the worker."""
    os.setsid()
    os.chdir(directory)
    arguments[arguments.index("--parent") + 1] = str(os.getppid())
    become(arguments, variables, log, log)
