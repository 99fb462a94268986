"""The platform of all schedules: both servers, a process for every service, and a second machine with copies of some.

Everything is kept running by the platform's own supervisor, as `nemuri up --processes` does; who is killed comes back.
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

from nemuri.platform.service_registry import SERVICES
from nemuri.platform.serving import prepare
from nemuri.platform.workers import Worker, environment_of
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.embedded.nats import EmbeddedNats
from nemuri_infra.embedded.postgres import EmbeddedPostgres
from nemuri_infra.embedded.supervisor import Supervisor
from nemuri_infra.runtime.settings import Settings
from tests.faults.forked import Forked
from tests.faults.network import Network
from tests.faults.oracle import Oracle
from tests.faults.schedules import COPIES
from tests.integration.servers import fresh_namespace

ACK_WAIT = 1.0
"""Seconds; short, so that a worker that is stopped for a while loses what it has in work."""
CLOCK = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
"""Debian's libfaketime, if it is installed."""
MODEL = {
    "NEMURI_MODEL_TIMEOUT": "1.5",
    "NEMURI_MODEL_ATTEMPTS": "2",
    "NEMURI_MODEL_BUDGET": "4",
    "OPENAI_API_KEY": "sk-nobody",
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
}


@dataclass(slots=True)
class Disk:
    """A small file system of its own, which can be full."""

    path: Path
    megabytes: int

    @classmethod
    @asynccontextmanager
    async def mounted(cls, path: Path, megabytes: int) -> AsyncIterator["Disk | None"]:
        """The disk, or None where nobody may mount one."""
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
        """Leave no room at all; what is written meanwhile may need another attempt."""
        for _ in range(20):
            found = os.statvfs(self.path)
            used = (found.f_blocks - found.f_bfree) * found.f_frsize
            if self._resize(f"{used}"):
                return
        raise OSError(f"{self.path} cannot be filled")

    def empty(self) -> None:
        """Give it its room back."""
        self._resize(f"{self.megabytes}m")

    def _resize(self, size: str) -> bool:
        command = ["mount", "-o", f"remount,size={size}", str(self.path)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


@dataclass(slots=True)
class Machines:
    """Everything that can be hurt, by name."""

    settings: Settings
    nats: EmbeddedNats
    postgres: EmbeddedPostgres
    workers: dict[str, Worker]
    network: Network
    oracle: Oracle
    directory: Path
    disks: dict[str, Disk] = field(default_factory=dict)
    wall_clock: Path | None = None
    """Where the wall clock of the second machine's workers is set; None without libfaketime."""

    @classmethod
    @asynccontextmanager
    async def running(cls) -> AsyncIterator[Self]:
        """The whole platform for as long as the context lasts; nothing of it stays."""
        async with AsyncExitStack() as stack:
            directory = _fresh()
            stack.callback(shutil.rmtree, directory)
            mounted = {
                name: await stack.enter_async_context(Disk.mounted(directory / name, size))
                for name, size in (("nats", 1024), ("postgres", 2048))
            }
            nats, postgres = EmbeddedNats(directory / "nats"), EmbeddedPostgres(directory / "postgres")
            await stack.enter_async_context(Supervisor([nats, postgres], steady_seconds=0.0).kept())
            oracle = await stack.enter_async_context(Oracle())
            network = await stack.enter_async_context(Network(nats.url))
            settings = Settings(namespace=fresh_namespace(), embedder="hashing", ack_wait=ACK_WAIT)
            settings = settings.addressed(nats.url, postgres.url)
            await prepare(settings)
            machines = cls(settings, nats, postgres, {}, network, oracle, directory, wall_clock=_clock(directory))
            machines.disks |= {name: disk for name, disk in mounted.items() if disk is not None}
            machines.set_wall_clock(0)
            machines.workers |= machines._workers(directory)
            await stack.enter_async_context(
                Supervisor([*machines.workers.values()], steady_seconds=0.0, together=True).kept()
            )
            try:
                yield machines
            finally:  # all at the same time, and a second signal ends them at once
                machines.signal(tuple(machines.workers), signal.SIGTERM)

    def set_wall_clock(self, seconds: int) -> None:
        """Let the wall clock of the second machine's workers be so far ahead."""
        if self.wall_clock is not None:
            self.wall_clock.write_text(f"{seconds:+d}\n")

    def keep_logs(self) -> Path:
        """A copy of what every process has logged, for whoever has to find out what happened."""
        kept = Path(tempfile.mkdtemp(prefix="nemuri-faults-"))
        for log in self.directory.glob("*/*.log"):
            shutil.copy(log, kept / f"{log.parent.name}-{log.name}")
        for log in self.directory.glob("*/workers/*.log"):
            shutil.copy(log, kept / f"{log.parent.parent.name}-{log.name}")
        return kept

    def process(self, name: str) -> psutil.Process | None:
        """The process of a server or a worker; None while it is being started again."""
        thing: EmbeddedNats | EmbeddedPostgres | Worker = self.workers.get(name) or (
            self.nats if name == "nats" else self.postgres
        )
        return None if thing.pid is None else psutil.Process(thing.pid)

    def signal(self, names: tuple[str, ...], which: signal.Signals) -> None:
        """Send a signal to those that run."""
        for name in names:
            if (process := self.process(name)) is not None:
                process.send_signal(which)

    def _workers(self, directory: Path) -> dict[str, Worker]:
        common = {
            **MODEL,
            "OPENAI_BASE_URL": self.oracle.url,
            "NEMURI_NAMESPACE": self.settings.namespace,
            "NEMURI_ACK_WAIT": f"{self.settings.ack_wait:g}",
            "NEMURI_EMBEDDER": "hashing",
            "NEMURI_LOG_LEVEL": "info",
        }
        first = common | {"NEMURI_PROVIDERS": "openai"}
        second = common | {"NEMURI_PROVIDERS": "openai,extractive"}
        if self.wall_clock is not None:
            second |= {
                "LD_PRELOAD": str(CLOCK),
                "FAKETIME_TIMESTAMP_FILE": str(self.wall_clock),
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                "FAKETIME_CACHE_DURATION": "1",
            }
        remote = self.settings.addressed(self.network.url, str(self.settings.database_url))
        here, there = Home(directory / "first"), Home(directory / "second")
        for home in (here, there):
            home.workers.mkdir()
        return {name: Forked(here, name, environment_of(self.settings) | first) for name in SERVICES} | {
            f"{name}-2": Worker(there, name, environment_of(remote) | second) for name in COPIES
        }


def _fresh() -> Path:
    """A directory that PostgreSQL's own user may pass through."""
    directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
    directory.chmod(0o711)
    return directory


def _clock(directory: Path) -> Path | None:
    return directory / "clock" if CLOCK is not None else None
