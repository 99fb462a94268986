"""A cluster of three nats-servers, each in a network of its own, so that packets between them can be dropped."""

import json
import os
import shutil
import signal
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self
from urllib.error import URLError
from urllib.request import urlopen

from tests.condition_waits import wait_until
from tests.root_programs import missing_for

SERVER: Final = Path(sysconfig.get_path("scripts")) / "nats-server"
SIZE: Final = 3
PROGRAMS: Final = ("ip", "iptables")


def missing() -> str | None:
    """Return the reason why this machine cannot make networks; None if it can."""
    return missing_for("make networks", PROGRAMS)


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True, capture_output=True)


@dataclass(slots=True)
class PartitionedCluster:
    """Three servers that replicate their streams, and the network between them."""

    directory: Path
    name: str
    """Beginning of the names of the network's devices."""
    processes: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)
    paused: set[int] = field(default_factory=set)

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Self]:
        """Yield the cluster when it has a leader. Remove servers, networks and data afterwards."""
        directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
        cluster = cls(directory, f"nm{os.getpid() % 10_000}")
        try:
            cluster._make_network()
            for node in range(SIZE):
                cluster.start(node)
            wait_until(lambda: all(map(cluster.healthy, range(SIZE))))
            yield cluster
        finally:
            for node in [*cluster.processes]:
                cluster.kill(node)
            cluster._remove_network()
            shutil.rmtree(directory)

    def url(self, node: int) -> str:
        """Return the address of a server for clients."""
        return f"nats://{self._address(node)}:4222"

    def start(self, node: int) -> None:
        """Start a server that does not run."""
        place = self.directory / f"node{node}"
        place.mkdir(exist_ok=True)
        routes = [f"nats-route://{self._address(other)}:6222" for other in range(SIZE) if other != node]
        configuration = {
            "server_name": f"node{node}",
            "listen": f"{self._address(node)}:4222",
            "http": f"{self._address(node)}:8222",
            "jetstream": {"store_dir": str(place), "sync_interval": "always"},
            "cluster": {"name": "partitioned", "listen": f"{self._address(node)}:6222", "routes": routes},
        }
        file = place / "nats.conf"
        file.write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in configuration.items()), "utf-8")
        with (place / "log").open("ab") as log:
            command = ["ip", "netns", "exec", self._space(node), str(SERVER), "-c", str(file)]
            self.processes[node] = subprocess.Popen(command, stdout=log, stderr=log)

    def healthy(self, node: int) -> bool:
        """Return True if a server says that it has caught up with its streams."""
        with suppress(URLError, OSError), urlopen(f"http://{self._address(node)}:8222/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
        return False

    def kill(self, node: int) -> None:
        """End a server with SIGKILL."""
        process = self.processes.pop(node)
        self.paused.discard(node)
        process.kill()
        process.wait()

    def pause(self, node: int) -> None:
        """Stop a server's process, as a long pause of its machine does."""
        self.processes[node].send_signal(signal.SIGSTOP)
        self.paused.add(node)

    def drop(self, senders: Sequence[int], receivers: Sequence[int]) -> None:
        """Drop every packet from these servers to those, in this direction only."""
        for receiver in receivers:
            for sender in senders:
                if sender != receiver:
                    self._filter(receiver, "--append", "INPUT", "--source", self._address(sender), "--jump", "DROP")

    def heal(self) -> None:
        """Let packets through again, go on with paused servers, and start killed ones."""
        for node in range(SIZE):
            self._filter(node, "--flush")
            if node in self.paused:
                self.processes[node].send_signal(signal.SIGCONT)
            elif node not in self.processes:
                self.start(node)
        self.paused.clear()

    def _filter(self, node: int, *rule: str) -> None:
        _run("ip", "netns", "exec", self._space(node), "iptables", *rule)

    def _make_network(self) -> None:
        bridge = f"{self.name}b"
        _run("ip", "link", "add", bridge, "type", "bridge")
        _run("ip", "address", "add", f"{self._address(SIZE)}/24", "dev", bridge)
        _run("ip", "link", "set", bridge, "up")
        for node in range(SIZE):
            space, outside = self._space(node), f"{self.name}v{node}"
            _run("ip", "netns", "add", space)
            _run("ip", "link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", space)
            _run("ip", "link", "set", outside, "master", bridge, "up")
            _run("ip", "-n", space, "address", "add", f"{self._address(node)}/24", "dev", "eth0")
            _run("ip", "-n", space, "link", "set", "eth0", "up")
            _run("ip", "-n", space, "link", "set", "lo", "up")

    def _remove_network(self) -> None:
        for node in range(SIZE):
            subprocess.run(["ip", "netns", "delete", self._space(node)], check=False, capture_output=True)
        subprocess.run(["ip", "link", "delete", f"{self.name}b"], check=False, capture_output=True)

    def _space(self, node: int) -> str:
        return f"{self.name}n{node}"

    def _address(self, node: int) -> str:
        """Return the address of a server, or with `SIZE` that of this machine, in a network of this process."""
        return f"10.213.{os.getpid() % 250}.{node + 1}"
