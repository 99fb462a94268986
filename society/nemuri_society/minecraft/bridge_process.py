"""The bridge to Minecraft as a supervised process: its configuration, its health, and the state of its worlds."""

import asyncio
import http.client
import json
import os
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from nemuri_contracts.event import Value
from nemuri_infra.bus.access import Access, credentials, inbox, servers
from nemuri_infra.embedded.child_processes import POLL_SECONDS, Child, ServerFailed
from nemuri_infra.embedded.listen_addresses import LOOPBACK, free_port
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.minecraft.bridge_rules import bridge_radii, bridge_rules, message_schemas
from nemuri_society.minecraft.node_modules import BRIDGE_SOURCES, MinecraftUnavailable, find_node, installed_modules
from nemuri_society.minecraft.settings import MinecraftSettings

START_TIMEOUT = 240.0
STOP_TIMEOUT = 30.0
REQUEST_TIMEOUT = 60.0


class ServerHealth(Value):
    """The health of one Minecraft server."""

    port: int
    """Port on 127.0.0.1."""
    agents: int


class BridgeHealth(Value):
    """The health of the bridge."""

    ready: bool
    second: float
    """Seconds of the worlds' clock."""
    percepts: int
    """Number of percepts sent since the bridge started."""
    acts: int
    """Number of acts received since the bridge started."""
    servers: tuple[ServerHealth, ...]


class MinecraftBridge:
    """The Node process between NATS and its Minecraft servers. All its files are in `directory`.

    It listens on the loopback address only. After a restart it continues from the last stored state. The state is
    stored on request, and when the process is stopped.
    """

    name = "minecraft"

    def __init__(
        self,
        directory: Path,
        data: Path,
        nats_url: str,
        namespace: str,
        settings: MinecraftSettings | None = None,
        access: Access | None = None,
    ) -> None:
        """Define the process without starting it. Raises MinecraftUnavailable if Node or the bridge's modules are
        missing, or if the user of the NATS server has a key instead of a password.
        """
        self.directory = directory.absolute()
        self.settings = settings or MinecraftSettings()
        self._nats = _nats_options(nats_url, access or Access())
        self._subjects = SocietySubjects(namespace)
        self._config, self._state = self.directory / "bridge.json", self.directory / "state.json"
        self._port: int | None = None
        self._child = Child(
            "minecraft",
            [find_node(), str(BRIDGE_SOURCES / "main.js"), str(self._config)],
            self.directory,
            environment={"NODE_PATH": str(installed_modules(data)), "NODE_ENV": "production", "CI": "1"},
            grace=STOP_TIMEOUT,
        )

    @property
    def pid(self) -> int | None:
        """Return the pid while the process runs; None otherwise."""
        return self._child.pid

    async def start(self) -> None:
        """Start the bridge, and return when agents can join and the agents of the stored state are back.

        Does nothing if it runs. Raises ServerFailed if it ends or is not ready within `START_TIMEOUT` seconds.
        """
        if self._child.alive:
            return
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._port = free_port()
        _write(self._config, json.dumps(self._configuration(self._port)).encode())
        await self._child.start()
        try:
            await self._until_ready()
        except BaseException:
            await self._child.kill()
            raise

    async def wait(self) -> int:
        """Wait until the process has ended and return its exit code."""
        return await self._child.wait()

    async def stop(self) -> None:
        """Stop the process, which first stores the state of its worlds. Does nothing if the process does not run."""
        await self._child.stop()

    async def kill(self) -> None:
        """End the process with SIGKILL. Changes since the last stored state are lost."""
        await self._child.kill()

    async def health(self) -> BridgeHealth | None:
        """Return the bridge's health; None if it does not answer."""
        try:
            return BridgeHealth.model_validate_json(await self._request("/health"))
        except (OSError, http.client.HTTPException, ValidationError):
            return None

    async def state(self) -> bytes:
        """Return the present state of the bridge's worlds, for a checkpoint. Raises ServerFailed if the bridge does not
        answer.
        """
        try:
            return await self._request("/state")
        except (OSError, http.client.HTTPException) as error:
            raise ServerFailed(f"{self.name} does not return its state: {error}") from error

    def stored_state(self) -> bytes | None:
        """Return the state that the bridge has stored last; None if there is none."""
        return self._state.read_bytes() if self._state.exists() else None

    def restore(self, state: bytes | None) -> None:
        """Store the state from which the bridge continues at its next start; None lets it begin anew.

        Raises ServerFailed while the bridge runs, and ValueError if the state is invalid.
        """
        if self._child.alive:
            raise ServerFailed(f"{self.name} is running: stop it before you restore a state")
        if state is None:
            self._state.unlink(missing_ok=True)
            return
        found = json.loads(state)
        if not isinstance(found, dict) or found.get("version") != 1:
            raise ValueError("the bytes are no state of a Minecraft world of this version")
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(self._state, state)

    def _configuration(self, port: int) -> dict[str, Any]:
        subjects, society = self._subjects, self.settings.society
        return {
            "bus": self._nats,
            "subjects": {
                "joining": subjects.joining(society),
                "leaving": subjects.leaving(society),
                "acts": subjects.acts(society),
                "percepts": subjects.percepts(society, ""),
            },
            "table": bridge_rules(),
            "radii": bridge_radii(),
            "schemas": message_schemas(),
            "state": str(self._state),
            "http": port,
            **self.settings.model_dump(),
        }

    async def _request(self, page: str) -> bytes:
        if self._port is None:
            raise ConnectionRefusedError(f"{self.name} has not been started")
        return await asyncio.to_thread(_get, self._port, page)

    async def _until_ready(self) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + START_TIMEOUT
        while (health := await self.health()) is None or not health.ready:
            if not self._child.alive:
                raise ServerFailed(f"{self.name} ended while it started:\n{self._child.log_tail()}")
            if loop.time() > deadline:
                raise ServerFailed(f"{self.name} is not ready after {START_TIMEOUT:g} s:\n{self._child.log_tail()}")
            await asyncio.sleep(POLL_SECONDS)


def _nats_options(url: str, access: Access) -> dict[str, Any]:
    """Return the options of the bridge's connection to NATS. Raises MinecraftUnavailable for a login with a key."""
    known = credentials(url)
    if (access.credentials or access.nkey) and not (known and known.password):
        raise MinecraftUnavailable(
            "the Minecraft world logs in to NATS with a password only: set NEMURI_WORLD_NATS_URL to an address with one"
        )
    named = {"user": known.user, "pass": known.password} if known else {}
    files = {"caFile": access.ca, "certFile": access.certificate, "keyFile": access.key}
    given = {name: str(path) for name, path in files.items() if path is not None}
    encrypted = {"tls": given} if given else {}
    return {"servers": servers(url), "inboxPrefix": inbox(known.user if known else None), **named, **encrypted}


def _get(port: int, page: str) -> bytes:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=REQUEST_TIMEOUT)
    try:
        connection.request("GET", page)
        reply = connection.getresponse()
        if reply.status != http.HTTPStatus.OK:
            raise http.client.HTTPException(f"{page}: HTTP status {reply.status}")
        return reply.read()
    finally:
        connection.close()


def _write(path: Path, content: bytes) -> None:
    """Write a file atomically. Only its owner can read it."""
    fresh = path.with_name(f"{path.name}.new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
    fresh.replace(path)
