"""Child processes, each with a log file and a pid file. Processes that a killed run left behind are ended."""

import asyncio
import json
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import psutil

from nemuri_infra.embedded.os_user import Account

LOG_LIMIT = 8 * 1024 * 1024
TAIL_BYTES = 4096
CLOCK_TOLERANCE = 2.0
"""Maximum difference in seconds between two readings of the same process's creation time.

They differ if the wall clock was set meanwhile.
"""
POLL_SECONDS = 0.02
KILL_SECONDS = 20.0


class ServerFailed(RuntimeError):  # noqa: N818 - states a condition
    """A supervised process did not start, or a process left by an earlier run does not end.

    The message may end with the last lines of the process's log.
    """


@dataclass(frozen=True)
class ProcessRecord:
    """The identity of a process, by which a later run of the platform recognises it.

    A pid alone is not enough, because pids are reused.
    """

    pid: int
    created: float
    """Creation time in seconds since the epoch, as psutil reports it."""
    command: list[str]

    def process(self) -> psutil.Process | None:
        """Return the running process of this record; None if it has ended or its pid belongs to another process."""
        try:
            found = psutil.Process(self.pid)
            same = abs(found.create_time() - self.created) <= CLOCK_TOLERANCE and found.cmdline() == self.command
        except psutil.Error:
            return None
        return found if same and is_running(found) else None


def is_running(process: psutil.Process) -> bool:
    """Return whether the process still runs. A zombie counts as ended."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def end_processes(processes: Sequence[psutil.Process], first: signal.Signals, grace: float) -> None:
    """End processes that are not our children, and return when all have ended.

    They get the signal `first`, and SIGKILL after `grace` seconds. Raises ServerFailed if one survives SIGKILL for
    `KILL_SECONDS` seconds, or if it belongs to another user.
    """
    for stop_signal, seconds in ((first, grace), (signal.SIGKILL, KILL_SECONDS)):
        for process in filter(is_running, processes):
            _send(process, stop_signal)
        if await _all_gone(processes, seconds):
            return
    left = ", ".join(str(process.pid) for process in processes if is_running(process))
    raise ServerFailed(f"processes of an earlier run do not end: {left}")


def _send(process: psutil.Process, stop_signal: signal.Signals) -> None:
    try:
        process.send_signal(stop_signal)
    except psutil.NoSuchProcess:
        return
    except psutil.AccessDenied as error:
        raise ServerFailed(f"process {process.pid} of an earlier run belongs to another user; end it first") from error


async def _all_gone(processes: Sequence[psutil.Process], seconds: float) -> bool:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while any(is_running(process) for process in processes):
        if loop.time() >= deadline:
            return False
        await asyncio.sleep(POLL_SECONDS)
    return True


class ChildProcess(Protocol):
    """The methods of `subprocess.Popen` that a `Child` uses."""

    @property
    def pid(self) -> int:
        """Return the pid of the process."""

    def send_signal(self, sig: signal.Signals, /) -> None:
        """Send a signal to the process. Does nothing if the process has ended."""

    def kill(self) -> None:
        """End the process with SIGKILL."""

    def wait(self) -> int:
        """Wait for the end of the process and return its exit code; minus the signal's number if a signal ended it."""


class Child:
    """A child process in a session of its own, so that Ctrl-C reaches only the platform.

    Its working directory is `directory`. It writes both its outputs to `directory/NAME.log`, and is recorded in
    `directory/NAME.pid`. A log above 8 MB is renamed to `NAME.log.1` when the process starts. No other child in the
    directory may have the same name.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        directory: Path,
        *,
        user: Account | None = None,
        environment: Mapping[str, str] | None = None,
        stop_signal: signal.Signals = signal.SIGTERM,
        grace: float = 20.0,
        inherited: Sequence[int] = (),
    ) -> None:
        """Define the process without starting it.

        It runs as the OS user `user`, or as the present user if that is None. `environment` replaces the environment of
        this process. `stop` sends `stop_signal`, and SIGKILL after `grace` seconds. `inherited` are open file
        descriptors that the process gets under the same numbers.
        """
        self.name = name
        self.command = list(command)
        self.directory = directory.absolute()
        self.log = self.directory / f"{name}.log"
        self._record = self.directory / f"{name}.pid"
        self._user = user
        self._environment = None if environment is None else dict(environment)
        self._stop_signal = stop_signal
        self._grace = grace
        self._inherited = tuple(inherited)
        self._process: ChildProcess | None = None
        self._exit: Future[int] = Future()

    @property
    def alive(self) -> bool:
        """Return whether the process was started and has not ended."""
        return self._process is not None and not self._exit.done()

    @property
    def pid(self) -> int | None:
        """Return the pid while the process runs; None otherwise."""
        return self._process.pid if self._process is not None and self.alive else None

    async def start(self) -> None:
        """End a process left by an earlier run, then start the command. Does nothing if the process runs.

        Raises ServerFailed if the command cannot be run or the earlier process does not end.
        """
        if self.alive:
            return
        self.directory.mkdir(parents=True, exist_ok=True)
        await self.end_leftovers()
        try:
            await self._spawn()
        except OSError as error:
            raise ServerFailed(f"{self.name} cannot be started: {error}") from error

    async def end_leftovers(self) -> None:
        """End the processes with this name in this directory that a killed run left behind.

        Does nothing while our process runs.
        """
        if not self.alive:
            found = await asyncio.to_thread(self.leftovers)
            await end_processes(found, self._stop_signal, self._grace)
            self._record.unlink(missing_ok=True)

    def leftovers(self) -> list[psutil.Process]:
        """Return the processes that a killed run left behind.

        They are found by the pid file. They are also found by command and directory, because a run may be killed before
        it writes the file.
        """
        recorded = _read_record(self._record)
        by_record = recorded.process() if recorded else None
        others = [process for process in psutil.process_iter() if self._is_ours(process)]
        return [by_record, *others] if by_record and by_record not in others else others

    async def wait(self) -> int:
        """Wait until the process has ended and return its exit code; minus the signal's number if a signal ended it.

        The process must have been started.
        """
        return await asyncio.wrap_future(self._exit)

    async def stop(self, grace: float | None = None) -> None:
        """Send the stop signal, and SIGKILL after `grace` seconds. Return when the process has ended.

        Does nothing if the process does not run.
        """
        if self._process is not None and self.alive:
            self._process.send_signal(self._stop_signal)
            try:
                await asyncio.wait_for(self.wait(), self._grace if grace is None else grace)
            except TimeoutError:
                await self.kill()
        self._record.unlink(missing_ok=True)

    async def kill(self) -> None:
        """End the process with SIGKILL and return when it has ended."""
        if self._process is not None and self.alive:
            self._process.kill()
            await self.wait()

    def log_tail(self) -> str:
        """Return the last 4 KB of the process's log as text; empty if there is no log."""
        try:
            with self.log.open("rb") as log:
                log.seek(max(0, self.log.stat().st_size - TAIL_BYTES))
                return log.read().decode(errors="replace").strip()
        except FileNotFoundError:
            return ""

    def _is_ours(self, process: psutil.Process) -> bool:
        try:
            return process.cmdline() == self.command and process.cwd() == str(self.directory.resolve())
        except psutil.Error:
            return False

    async def _spawn(self) -> None:
        if self.log.exists() and self.log.stat().st_size > LOG_LIMIT:
            self.log.replace(self.log.with_suffix(".log.1"))
        process = await self._launch()
        self._process, self._exit = process, _exit_of(process, self.name)
        try:
            _write_record(self._record, process.pid, self._shown_command())
        except OSError:
            process.kill()
            raise

    def _shown_command(self) -> list[str]:
        """Return the command line that the operating system shows for the process."""
        return self.command

    async def _launch(self) -> ChildProcess:
        """Start the command and return its process. Raises OSError."""
        return self._popen(subprocess.DEVNULL)

    def _popen(self, stdin: int) -> ChildProcess:
        with self.log.open("ab") as log:
            return subprocess.Popen(  # noqa: S603 - our own commands, no shell
                self.command,
                cwd=self.directory,
                env=self._environment,
                stdin=stdin,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=self._inherited,
                user=self._user and self._user.uid,
                group=self._user and self._user.gid,
                extra_groups=[] if self._user else None,
            )


def _exit_of(process: ChildProcess, name: str) -> Future[int]:
    """Return a future of the process's exit code.

    A thread waits for the process, so neither a child watcher nor polling is needed.
    """
    code: Future[int] = Future()
    code.set_running_or_notify_cancel()  # so that cancelling one waiter does not cancel the others
    threading.Thread(target=lambda: code.set_result(process.wait()), name=f"reap-{name}", daemon=True).start()
    return code


def _write_record(path: Path, pid: int, command: list[str]) -> None:
    try:
        created = psutil.Process(pid).create_time()
    except psutil.NoSuchProcess:
        return
    fresh = path.with_suffix(".pid.new")
    fresh.write_text(json.dumps(asdict(ProcessRecord(pid, created, command))), encoding="utf-8")
    fresh.replace(path)


def _read_record(path: Path) -> ProcessRecord | None:
    """Return the record in a pid file; None if the file is missing or damaged.

    Without a record the search by command still finds the process.
    """
    try:
        return ProcessRecord(**json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return None
