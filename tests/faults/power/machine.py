"""Virtual machines with a nats-server each, whose power can fail."""

import json
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from pathlib import Path
from random import Random
from typing import Final, Self
from urllib.request import urlopen

from nemuri_infra.embedded.listen_addresses import LOOPBACK, free_port
from tests.condition_waits import wait_until
from tests.faults.power.boot_files import QEMU, BootFiles
from tests.faults.power.disk import Disk

CONFIGURATION: Final = Path(__file__).parents[3] / "infra/deploy/nats.conf"
"""The servers' configuration as Nemuri deploys it."""
SAFE: Final = "sync_interval: always"
CLIENT, MONITOR, ROUTE = 4222, 8222, 6222
HOST: Final = "10.0.2.2"
"""Address at which a machine in QEMU's network reaches this one."""
MEMORY: Final = "768M"


@dataclass(frozen=True, slots=True)
class Guarantees:
    """Means by which an acknowledged event outlasts a power failure. Controls do without some of them."""

    synchronous: bool = True
    """True if the server flushes before it acknowledges, as Nemuri configures it."""
    honest: bool = True
    """True if the disks keep what they have flushed."""


@dataclass(slots=True)
class Machine:
    """A virtual machine whose nats-server keeps its store on a disk of its own."""

    directory: Path
    boot: BootFiles
    guarantees: Guarantees
    ports: dict[int, int]
    """Ports of this machine by the server's ports that they lead to."""
    ahead: timedelta = timedelta()
    """Lead of the machine's clock over the right time; negative if it is behind."""
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Return the address of the server for clients."""
        return f"nats://{LOOPBACK}:{self.ports[CLIENT]}"

    def make(self, routes: list[int]) -> None:
        """Make the disk, with a configuration of a server that has these routes to itself and others."""
        contents = self.directory / "contents"
        contents.mkdir(parents=True)
        lines = [line for line in CONFIGURATION.read_text("utf-8").splitlines() if not line.startswith("include")]
        text = "\n".join(lines).replace('"/data"', '"/data/store"')
        assert SAFE in text
        if len(routes) > 1:
            others = json.dumps([f"nats-route://{HOST}:{port}" for port in routes])
            listen = f"listen: '0.0.0.0:{ROUTE}'"
            text += f"\ncluster {{ name: power, no_advertise: true, {listen}, routes: {others} }}"
        text = text if self.guarantees.synchronous else text.replace(SAFE, "")
        (contents / "nats.conf").write_text(text + "\n", "utf-8")
        (contents / "name").write_text(self.directory.name, "utf-8")
        Disk(self.directory).make(contents)

    def start(self) -> None:
        """Switch the machine on."""
        forwards = "".join(f",hostfwd=tcp:{LOOPBACK}:{here}-10.0.2.15:{there}" for there, here in self.ports.items())
        command = [
            *(QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-m", MEMORY),
            *("-rtc", f"base={datetime.now(UTC) + self.ahead:%Y-%m-%dT%H:%M:%S}"),
            *("-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "1"),
            *("-kernel", self.boot.kernel, "-initrd", self.boot.initramfs),
            *("-append", "console=ttyS0 quiet panic=-1 random.trust_cpu=on no_timer_check"),
            *("-serial", f"file:{self.directory}/console.log"),
            *("-blockdev", json.dumps(Disk(self.directory).plug()), "-device", "virtio-blk-pci,drive=disk"),
            *("-netdev", f"user,id=net{forwards}", "-device", "virtio-net-pci,netdev=net,romfile="),
        ]
        with (self.directory / "qemu.log").open("ab") as log:
            self.process = subprocess.Popen(list(map(str, command)), stdout=log, stderr=log)

    def healthy(self) -> bool:
        """Return True if the server says that it has caught up with its streams."""
        assert self.process is not None
        assert self.process.poll() is None, self.said()
        page = f"http://{LOOPBACK}:{self.ports[MONITOR]}/healthz"
        with suppress(OSError, HTTPException), urlopen(page, timeout=2) as answer:
            return bool(answer.status == 200)
        return False

    def said(self) -> str:
        """Return the ends of what the machine and QEMU have printed."""
        logs = [self.directory / name for name in ("console.log", "qemu.log")]
        return "\n".join(log.read_text(errors="replace")[-3000:] for log in logs if log.exists())

    def cut(self) -> None:
        """Stop the machine where it is. `forget` waits until it writes no more."""
        if self.process is not None:
            self.process.kill()

    def forget(self, rng: Random) -> Counter[str]:
        """Bring the disk of a machine without power to what is left of it."""
        assert self.process is not None
        self.process.wait()
        return Disk(self.directory).forget(rng, lying=not self.guarantees.honest)


@dataclass(slots=True)
class Machines:
    """One machine, or three whose servers are a cluster, that lose power all at once."""

    members: list[Machine] = field(default_factory=list)

    @classmethod
    @contextmanager
    def running(
        cls, boot: tuple[Path, Path], size: int, guarantees: Guarantees, apart: timedelta = timedelta()
    ) -> Iterator[Self]:
        """Yield the machines when their servers are healthy. Remove machines and disks afterwards.

        `apart` is how far the clock of the second is ahead, and that of the third behind.
        """
        directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
        machines = cls()
        try:
            files = BootFiles.made(directory, *boot)
            for number in range(size):
                ports = {port: free_port() for port in (CLIENT, MONITOR, ROUTE)}
                ahead = apart * (0, 1, -1)[number]
                machines.members.append(Machine(directory / f"node{number}", files, guarantees, ports, ahead))
            for member in machines.members:
                member.make([each.ports[ROUTE] for each in machines.members])
                member.start()
            wait_until(machines.healthy, said=machines.members[0].said)
            yield machines
        finally:
            for member in machines.members:
                member.cut()
                if member.process is not None:
                    member.process.wait()
            shutil.rmtree(directory)

    def healthy(self) -> bool:
        """Return True if all servers say that they have caught up."""
        return all(member.healthy() for member in self.members)

    def fail(self, rng: Random) -> Counter[str]:
        """Take the power of all machines at once, let the disks forget, and switch the machines on again."""
        for member in self.members:
            member.cut()
        told = Counter[str]()
        for member in self.members:
            told += member.forget(rng)
        for member in self.members:
            member.start()
        return told
