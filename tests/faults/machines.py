"""The platform on which all schedules run: both servers, one process per service, and a second machine with copies of
some services.

The platform's own supervisor keeps everything running, as in `nemuri up --processes`, and restarts what is killed.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import psutil

from nemuri.platform.serving import prepare
from nemuri.platform.worker_fork_server import worker_fork_server
from nemuri.platform.workers import Worker, environment_of
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.embedded.forked_processes import ForkServerProcess
from nemuri_infra.embedded.nats import EmbeddedNats
from nemuri_infra.embedded.postgres import EmbeddedPostgres
from nemuri_infra.embedded.supervisor import Supervisor
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES
from tests.faults.model_server import ModelServer
from tests.faults.network import Network
from tests.faults.schedules import COPIES
from tests.integration.servers import fresh_namespace

ACK_WAIT = 1.0
"""Seconds until redelivery. It is short, so that a suspended worker loses the events that it handles to another worker.
"""
FAKETIME_LIBRARY = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
"""Path of Debian's libfaketime; None if it is not installed."""
MODEL_ENVIRONMENT = {
    "NEMURI_MODEL_TIMEOUT": "1.5",
    "NEMURI_MODEL_ATTEMPTS": "2",
    "NEMURI_MODEL_BUDGET": "4",
    "OPENAI_API_KEY": "sk-nobody",
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
}


@dataclass(slots=True)
class Disk:
    """A small file system of its own that can be filled up."""

    path: Path
    megabytes: int

    @classmethod
    @asynccontextmanager
    async def mounted(cls, path: Path, megabytes: int) -> AsyncIterator["Disk | None"]:
        """Mount the disk and yield it, or yield None if this user may not mount one. Unmount it afterwards."""
        await asyncio.to_thread(path.mkdir)
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "tmpfs", str(path)]
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, check=False)
        if done.returncode:
            yield None
            return
        try:
            yield cls(path, megabytes)
        finally:
            await asyncio.to_thread(subprocess.run, ["umount", "-l", str(path)], check=False)

    def fill(self) -> None:
        """Take all free space, again and again while other processes write. Raises `OSError` if space remains free."""
        for _ in range(20):
            found = os.statvfs(self.path)
            used = (found.f_blocks - found.f_bfree) * found.f_frsize
            if self._resize(f"{used}"):
                return
        raise OSError(f"{self.path} cannot be filled")

    def empty(self) -> None:
        """Free the space that `fill` took."""
        self._resize(f"{self.megabytes}m")

    def _resize(self, size: str) -> bool:
        command = ["mount", "-o", f"remount,size={size}", str(self.path)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


@dataclass(slots=True)
class Machines:
    """All processes and devices that a fault can hit, by name."""

    settings: Settings
    nats: EmbeddedNats
    postgres: EmbeddedPostgres
    workers: dict[str, Worker]
    network: Network
    model_server: ModelServer
    directory: Path
    disks: dict[str, Disk] = field(default_factory=dict)
    wall_clock: Path | None = None
    """File that sets the wall clock of the second machine's workers; None without libfaketime."""

    @classmethod
    @asynccontextmanager
    async def running(cls) -> AsyncIterator[Self]:
        """Yield a running platform; stop and remove all of it afterwards."""
        async with AsyncExitStack() as stack:
            directory = _temporary_directory()
            stack.callback(shutil.rmtree, directory)
            stack.callback(_remove_clock_memory)
            mounted = {
                name: await stack.enter_async_context(Disk.mounted(directory / name, size))
                for name, size in (("nats", 1024), ("postgres", 2048))
            }
            nats, postgres = EmbeddedNats(directory / "nats"), EmbeddedPostgres(directory / "postgres")
            await stack.enter_async_context(Supervisor([nats, postgres], steady_seconds=0.0).running())
            model_server = await stack.enter_async_context(ModelServer())
            network = await stack.enter_async_context(Network(nats.url))
            settings = Settings(namespace=fresh_namespace(), embedder="built-in", ack_wait=ACK_WAIT)
            settings = settings.addressed(nats.url, postgres.url)
            await prepare(settings)
            machines = cls(
                settings, nats, postgres, {}, network, model_server, directory, wall_clock=_clock_file(directory)
            )
            machines.disks |= {name: disk for name, disk in mounted.items() if disk is not None}
            machines.set_wall_clock(0)
            first_home, second_home = Home(directory / "first"), Home(directory / "second")
            for home in (first_home, second_home):
                home.workers.mkdir()
            fork_server = await stack.enter_async_context(worker_fork_server(first_home))
            machines.workers |= machines._workers(first_home, second_home, fork_server)
            await stack.enter_async_context(
                Supervisor([*machines.workers.values()], steady_seconds=0.0, together=True).running()
            )
            try:
                yield machines
            finally:  # Signal all at the same time. A second signal ends them at once.
                machines.signal(tuple(machines.workers), signal.SIGTERM)

    def set_wall_clock(self, seconds: int) -> None:
        """Set the wall clock of the second machine's workers this many seconds ahead."""
        if self.wall_clock is not None:
            self.wall_clock.write_text(f"{seconds:+d}\n")

    def copy_logs(self) -> Path:
        """Copy the log files of all processes into a directory that is not removed, and return it."""
        kept = Path(tempfile.mkdtemp(prefix="nemuri-faults-"))
        for log in self.directory.glob("*/*.log"):
            shutil.copy(log, kept / f"{log.parent.name}-{log.name}")
        for log in self.directory.glob("*/workers/*.log"):
            shutil.copy(log, kept / f"{log.parent.parent.name}-{log.name}")
        return kept

    def process(self, name: str) -> psutil.Process | None:
        """Return the process of a server or a worker; None while it is being restarted."""
        supervised: EmbeddedNats | EmbeddedPostgres | Worker = self.workers.get(name) or (
            self.nats if name == "nats" else self.postgres
        )
        return None if supervised.pid is None else psutil.Process(supervised.pid)

    def signal(self, names: tuple[str, ...], which: signal.Signals) -> None:
        """Send a signal to each process in `names` that runs; skip the others."""
        for name in names:
            if (process := self.process(name)) is not None:
                process.send_signal(which)

    def _workers(self, first_home: Home, second_home: Home, fork_server: ForkServerProcess | None) -> dict[str, Worker]:
        common = {
            **MODEL_ENVIRONMENT,
            "OPENAI_BASE_URL": self.model_server.url,
            "NEMURI_NAMESPACE": self.settings.namespace,
            "NEMURI_ACK_WAIT": f"{self.settings.ack_wait:g}",
            "NEMURI_EMBEDDER": "built-in",
            "NEMURI_LOG_LEVEL": "info",
        }
        first = common | {"NEMURI_PROVIDERS": "openai"}
        second = common | {"NEMURI_PROVIDERS": "openai,extractive"}
        if self.wall_clock is not None:
            second |= {
                "LD_PRELOAD": str(FAKETIME_LIBRARY),
                "FAKETIME_TIMESTAMP_FILE": str(self.wall_clock),
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                "FAKETIME_CACHE_DURATION": "1",
            }
        remote = self.settings.addressed(self.network.url, str(self.settings.database_url))
        here = environment_of(self.settings) | first
        return {name: Worker(first_home, name, here, fork_server) for name in SERVICES} | {
            f"{name}-2": Worker(second_home, name, environment_of(remote) | second) for name in COPIES
        }


def _temporary_directory() -> Path:
    """Return a new temporary directory that the system user of PostgreSQL may enter."""
    directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
    directory.chmod(0o711)
    return directory


def _remove_clock_memory() -> None:
    """Remove the shared memory that libfaketime leaves behind in killed processes."""
    for path in Path("/dev/shm").glob("*faketime_*"):
        if not psutil.pid_exists(int(path.name.rsplit("_", 1)[1])):
            path.unlink(missing_ok=True)


def _clock_file(directory: Path) -> Path | None:
    return directory / "clock" if FAKETIME_LIBRARY is not None else None
