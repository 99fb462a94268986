"""Services in processes of their own: one worker for a service, or several copies of it."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from nemuri.platform.embedder_check import check_embedder, embedding_in_force
from nemuri.platform.serving import NotProvisioned, ensure_provisioned, serving
from nemuri.web.http_server import nth_address
from nemuri_infra.bus.connection import UnreachableError
from nemuri_infra.embedded.child_processes import POLL_SECONDS, Child, ChildProcess, ServerFailed
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.embedded.fork_server import ForkRequest
from nemuri_infra.embedded.forked_processes import FORK_SERVER, ForkServerProcess
from nemuri_infra.embedded.supervisor import Supervisor
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.process.event_loop import run
from nemuri_infra.projections.database import DatabaseError
from nemuri_infra.projections.projection import OtherFoldsError
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings

READY_SECONDS = 120.0
"""Seconds until a worker must be ready. It may have to load a local model first."""
PROVISION_SECONDS = 60.0
"""Seconds that a service waits for another process to create the streams and tables."""
PROVISION_POLL_SECONDS = 2.0
ORPHAN_POLL = 1.0
SHUTDOWN_SECONDS = 25.0
"""Seconds from SIGTERM until a worker ends in any case. This is longer than events in progress may take to finish."""
KILL_SECONDS = 30.0
"""Seconds from SIGTERM until the parent kills a worker. Containers get a little longer."""


class Worker(Child):
    """A worker that runs one service as a child process of the platform. It counts as started when it is ready."""

    def __init__(
        self, home: Home, service: str, environment: Mapping[str, str], fork_server: ForkServerProcess | None = None
    ) -> None:
        """Define the worker. Its process is forked from `fork_server`, or is a new interpreter if that is None."""
        self._home, self._fork_server = home, fork_server
        self._ready = home.workers / f"{service}.ready"
        started = self._command_of(service, os.getpid())
        super().__init__(service, started, home.workers, environment=environment, grace=KILL_SECONDS)

    @property
    def http(self) -> str | None:
        """URL of the worker's health and metrics endpoints, as it reported when it was ready; None if they are off."""
        return self._ready.read_text(encoding="utf-8").strip() or None if self._ready.exists() else None

    async def start(self) -> None:
        """Start the worker and wait until it is ready. Does nothing if it runs already.

        Raises `ServerFailed` with the end of its log if it does not get ready.
        """
        if self.alive:
            return
        self._ready.unlink(missing_ok=True)
        await super().start()
        try:
            async with asyncio.timeout(READY_SECONDS):
                await self._until_ready()
        except TimeoutError:
            raise ServerFailed(f"the worker {self.name} did not get ready:\n{self.log_tail()}") from None
        finally:
            if not self._ready.exists():
                await self.kill()

    async def _launch(self) -> ChildProcess:
        if self._fork_server is None:
            return await super()._launch()
        await self._fork_server.start()
        _, _, *arguments = self._command_of(self.name, self._fork_server.pid)
        environment = dict(os.environ if self._environment is None else self._environment)
        return await self._fork_server.fork(
            ForkRequest(self.name, arguments, environment, str(self.directory), str(self.log))
        )

    def _command_of(self, service: str, parent: int | None) -> list[str]:
        return command(self._home.path, service, ["--parent", str(parent), "--ready", str(self._ready)])

    def _shown_command(self) -> list[str]:
        return self.command if self._fork_server is None else self._fork_server.command

    async def _until_ready(self) -> None:
        ended = asyncio.ensure_future(self.wait())
        while not self._ready.exists():  # The worker announces its readiness only by this file, so the file is polled.
            if ended.done():
                raise ServerFailed(f"the worker {self.name} ended while it started:\n{self.log_tail()}")
            await asyncio.sleep(POLL_SECONDS)
        ended.cancel()


class WorkerReplica:
    """One of several processes of a service. It shares the output of its parent."""

    def __init__(self, name: str, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        self.name = name
        self._arguments = list(arguments)
        self._environment = dict(environment)
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start the process unless it runs."""
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *self._arguments, env=self._environment, start_new_session=True
            )

    async def wait(self) -> int:
        """Wait until the process has ended, and return its exit code. Raises `ServerFailed` if it was never started."""
        if self._process is None:
            raise ServerFailed(f"{self.name} has not been started")
        return await self._process.wait()

    async def stop(self) -> None:
        """Send SIGTERM, which lets the process finish its work, and wait until it has ended. Does nothing if it does
        not run.
        """
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()


async def work(
    settings: Settings,
    name: str,
    *,
    stop: asyncio.Event,
    parent: int | None = None,
    ready: Path | None = None,
    said: Callable[[str], None] | None = None,
) -> None:
    """Run a service in this process until `stop` is set or the parent is gone, then finish the work in progress.

    A process without a parent provisions the servers itself, unless the settings forbid that. When the service is
    ready, the file `ready` is written, and `said` is called with a line that has the URL of the health and metrics
    endpoints.
    """
    if parent is None:
        await _until_provisioned(settings, name, stop)
        await check_embedder(settings, await embedding_in_force(settings))
    async with serving(settings, [name]) as here:
        if ready is not None:
            await asyncio.to_thread(_write, ready, here.http or "")
        if said is not None and here.http:
            said(f"{name} (process {os.getpid()}) serves health and metrics at {here.http}")
        until = stop.wait() if parent is None else until_orphaned(parent, stop)
        await while_connected(here.resources, until, alone=True)


async def _until_provisioned(settings: Settings, name: str, stop: asyncio.Event) -> None:
    """Create what the namespace needs. If another process does that (`settings.provision` is false), wait for it, at
    most `PROVISION_SECONDS`, because in a cluster all processes start at the same time.
    """
    clock = asyncio.get_running_loop().time
    end = clock() + (0 if settings.provision else PROVISION_SECONDS)
    while True:
        try:
            await ensure_provisioned(settings, [name])
        except (NotProvisioned, DatabaseError, UnreachableError):
            if stop.is_set() or clock() >= end:
                raise
        else:
            return
        with suppress(TimeoutError):  # Polled, because nobody announces that the tables are there.
            await asyncio.wait_for(stop.wait(), PROVISION_POLL_SECONDS)


async def while_connected(resources: Resources, until: Coroutine[Any, Any, object], *, alone: bool = False) -> None:
    """Wait until `until` completes.

    Raises `ServerFailed` if the connection to NATS is closed for good before that, and `OtherFoldsError` if a newer
    version of the program has replaced the projections. With `alone`, for a process of one service, also raises
    `ServerFailed` if the background work of the service ends, so that the process is started again.
    """
    progress = resources.views.progress
    causes = [until, resources.log.lost.wait(), progress.superseded.wait()]
    ending, *others = map(asyncio.ensure_future, [*causes, resources.ended.wait()] if alone else causes)
    try:
        await asyncio.wait((ending, *others), return_when=asyncio.FIRST_COMPLETED)
        if ending.done():
            return
        if progress.newer_fold is not None:
            raise OtherFoldsError(progress.newer_fold)
        for name, why in resources.halted.items() if alone else ():
            raise ServerFailed(f"{name} halted: {why}")
        raise ServerFailed("the connection to NATS was closed for good; start again")
    finally:
        await cancel_and_wait(ending, *others)


async def work_in_copies(settings: Settings, name: str, count: int, *, stop: asyncio.Event) -> None:
    """Start `count` processes of a service and restart those that die, until `stop` is set.

    The namespace is provisioned and the embedder is checked before that.
    """
    await ensure_provisioned(settings, [name])
    await check_embedder(settings, await embedding_in_force(settings))
    arguments = command(settings.data, name, ["--parent", str(os.getpid())])
    told = [environment_of(settings_of_replica(settings, number)) for number in range(count)]
    copies = [WorkerReplica(f"{name}-{number}", arguments, copy) for number, copy in enumerate(told, 1)]
    await Supervisor(copies, together=True).run_until(stop)


def settings_of_replica(settings: Settings, number: int) -> Settings:
    """Return the settings of process `number`, counted from 0, with its own address for health and metrics."""
    if settings.http is None:
        return settings
    return settings.model_copy(update={"http": nth_address(settings.http, number)})


def environment_of(settings: Settings) -> dict[str, str]:
    """Return the environment for a child process, including the addresses of the servers.

    The addresses can contain passwords. In the arguments of the process other users of the machine could read them.
    """
    addresses = {"NATS_URL": settings.nats_url, "DATABASE_URL": settings.database_url}
    known = {name: address for name, address in addresses.items() if address is not None}
    if settings.archive is not None:  # a worker has another current directory
        known["NEMURI_ARCHIVE"] = str(settings.archive.expanduser().absolute())
    return {**os.environ, **known, "NEMURI_HTTP": settings.http or ""}


def command(data: Path, service: str, options: Iterable[str]) -> list[str]:
    """Return the command line that starts a worker process, as a list of arguments."""
    return [sys.executable, "-m", "nemuri", "--data", str(data.absolute()), "worker", service, *options]


def orphans(home: Home) -> list[psutil.Process]:
    """Return the workers of this data directory that were left behind when their platform was killed.

    Forked workers show the command line of their fork server, which is returned too, although it ends by itself.
    """
    return [process for process in psutil.process_iter() if _is_worker(process, home)]


def _is_worker(process: psutil.Process, home: Home) -> bool:
    try:
        line, here = process.cmdline(), process.cwd() == str(home.workers.resolve())
        return here and (line[1:6] == command(home.path, "", [])[1:6] or line[1 : len(FORK_SERVER)] == FORK_SERVER[1:])
    except psutil.Error:
        return False


def run_until_stopped(
    work_until: Callable[[asyncio.Event], Coroutine[Any, Any, None]], *, within: float | None = None
) -> None:
    """Run a coroutine until it ends. SIGINT or SIGTERM sets its event and cancels it; a second signal ends the process.

    With `within`, the process also ends that many seconds after the first signal, even if the event loop is busy or a
    thread does not return.
    """
    run(_until_stopped(work_until, within))


async def _until_stopped(
    work_until: Callable[[asyncio.Event], Coroutine[Any, Any, None]], within: float | None
) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    task = asyncio.ensure_future(work_until(stop))

    def hear() -> None:
        if stop.is_set():
            _end_at_once()
        stop.set()
        task.cancel()
        if within is not None:
            late = threading.Timer(within, _end_at_once)
            late.daemon = True
            late.start()

    for sent in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sent, hear)
    try:
        await task
    except asyncio.CancelledError:
        if not stop.is_set():
            raise


async def until_orphaned(parent: int, stop: asyncio.Event) -> None:
    """Wait until `stop` is set, or until the parent of this process has changed."""
    while os.getppid() == parent and not stop.is_set():
        try:
            async with asyncio.timeout(ORPHAN_POLL):
                await stop.wait()
        except TimeoutError:
            continue


async def end_when_orphaned(parent: int, stop: asyncio.Event) -> None:
    """Wait until `stop` is set or the parent is gone. In the second case send SIGTERM to this process."""
    await until_orphaned(parent, stop)
    if not stop.is_set():
        signal.raise_signal(signal.SIGTERM)
        await stop.wait()


def _end_at_once() -> None:
    for child in psutil.Process().children(recursive=True):
        child.kill()
    os._exit(130)


def _write(path: Path, text: str) -> None:
    """Write a file atomically, so that a waiting reader never sees a part of it."""
    fresh = path.with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)
