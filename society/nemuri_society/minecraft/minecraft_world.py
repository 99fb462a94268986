"""The Minecraft world of a society: the bridge to its servers, and its state as checkpoints contain it."""

import asyncio
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Self

import psutil
import structlog
from nats.aio.client import Client as Nats
from pydantic import TypeAdapter, ValidationError

from nemuri_infra.embedded.child_processes import ServerFailed
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.runtime.settings import Settings
from nemuri_society.contracts.society import Lateness, Society, WorldHealthReport
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.minecraft.bridge_process import MinecraftBridge
from nemuri_society.minecraft.node_modules import find_node, installed_modules
from nemuri_society.minecraft.settings import MAX_AGENTS_PER_SERVER, MAX_SERVERS, MinecraftSettings
from nemuri_society.world.grid_actions import GRID_ACTIONS
from nemuri_society.world.society_world import (
    ForeignWorld,
    InvalidSnapshotError,
    joined_dump,
    split_dump,
)

MAX_AGENTS: Final = MAX_AGENTS_PER_SERVER * MAX_SERVERS
"""Maximum number of agents in a Minecraft society."""
STATE_VERSION: Final = 1
"""Version of the bridge's state."""
STATE_SECONDS: Final = 1.0
"""Least seconds between two readings of the bridge's state. What happened since the last one is lost with the process,
and a checkpoint has the world of that moment.
"""
STATE_SHARE: Final = 0.1
"""Maximum share of the time, 0 to 1, in which the bridge's state is read."""
NO_STATE: Final = b""
"""State of a world that has not begun."""

logger = structlog.get_logger()
_state: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


class MinecraftWorld(ForeignWorld):
    """The state of Minecraft servers: changed blocks, chests, and the positions and inventories of the agents."""

    about = "You live in a world of blocks."
    actions = GRID_ACTIONS
    spatial = True
    selective = False
    pausable = False

    def __init__(self, state: dict[str, Any]) -> None:
        """Use a state of the bridge."""
        self._state = state

    @classmethod
    def load(cls, dumped: bytes) -> Self:
        """Return the world of a state of the bridge. Raises `InvalidSnapshotError` for other bytes."""
        if dumped == NO_STATE:
            return cls({"version": STATE_VERSION, "second": 0.0, "worlds": []})
        try:
            state = _state.validate_json(dumped)
        except ValidationError as error:
            raise InvalidSnapshotError("the bytes are no state of a Minecraft world") from error
        if state.get("version") != STATE_VERSION or not isinstance(state.get("second"), int | float):
            raise InvalidSnapshotError("the bytes are no state of a Minecraft world of this version")
        return cls(state)

    @classmethod
    def renamed(cls, dumped: bytes, rename: Callable[[str], str]) -> bytes:
        """Return a state with other ids of the agents. No host has them yet."""
        state = json.loads(super().renamed(dumped, rename)) if dumped else {}
        return json.dumps(state | {"present": {}}).encode() if state else NO_STATE

    @classmethod
    def check(cls, society: Society) -> Iterator[tuple[str, str]]:
        """Yield what of a society's definition a Minecraft world does not have."""
        yield from super().check(society)
        if society.places:
            yield "places", "the Minecraft world has none that can be set"
        if society.speed != 1:
            yield "speed", f"Minecraft runs in real time, so it must be 1, not {society.speed:g}"
        if len(society.agents) > MAX_AGENTS:
            yield "generate", f"a Minecraft world has room for {MAX_AGENTS} residents, not {len(society.agents)}"

    @classmethod
    def require(cls, society: Society, data: Path) -> None:  # noqa: ARG003 - its definition is checked already
        """Raise `MinecraftUnavailable` if Node.js or the modules of the Minecraft world are not installed."""
        find_node()
        installed_modules(data)

    @classmethod
    def discard(cls, society: str, data: Path) -> None:
        """Remove the files of a society's bridge, if there are any."""
        if (directory := _directory(data, society)).is_dir():
            shutil.rmtree(directory)

    @classmethod
    def keeper(cls, society: Society, client: Nats, settings: Settings) -> "MinecraftKeeper":
        """Return the keeper of a society's bridge. Raises `MinecraftUnavailable`."""
        servers = -(-len(society.agents) // MAX_AGENTS_PER_SERVER)
        wanted = MinecraftSettings(society=society.name, seed=society.seed % 2**31, servers=servers)
        directory = _directory(settings.data, society.name)
        bridge = MinecraftBridge(
            directory, settings.data, str(settings.nats_url), settings.namespace, wanted, settings.access
        )
        return MinecraftKeeper(bridge, client, SocietySubjects(settings.namespace), society.name)

    @property
    def second(self) -> float:
        """Seconds of the worlds' clock."""
        return float(self._state["second"])

    def place(self, agent_id: str) -> tuple[int, int] | None:
        """Return the place of an agent on its server, in blocks; None if it was never there."""
        for world in self._state["worlds"]:
            if (agent := world["agents"].get(agent_id)) is not None:
                return int(agent["position"]["x"]), int(agent["position"]["z"])
        return None


class MinecraftKeeper:
    """The bridge of a society, which continues from a dumped state, and whose state is dumped.

    What it has stored itself is not used: the society's states are the only source.
    """

    def __init__(self, bridge: MinecraftBridge, client: Nats, subjects: SocietySubjects, society: str) -> None:
        """Keep a bridge that is not running. The caller must close `client` afterwards."""
        self._bridge, self._client, self._subjects, self._society = bridge, client, subjects, society
        self._state = NO_STATE
        self._closing = asyncio.Event()

    async def run(self) -> None:
        """Run the bridge until `close` is called or the task is cancelled, and read its state periodically.

        Raises `ServerFailed` if the bridge ends by itself.
        """
        self._bridge.restore(self._state or None)
        await self._bridge.start()
        ended = asyncio.ensure_future(self._bridge.wait())
        closing, pause = asyncio.ensure_future(self._closing.wait()), STATE_SECONDS
        try:
            while not closing.done():
                await asyncio.wait((ended, closing), timeout=pause, return_when=asyncio.FIRST_COMPLETED)
                if ended.done():
                    raise ServerFailed(f"the Minecraft bridge ended with code {ended.result()}")
                began = time.monotonic()
                await self._read_state()
                pause = max(STATE_SECONDS, (time.monotonic() - began) / STATE_SHARE)
        finally:
            for task in (ended, closing):
                task.cancel()
            await self._stop()

    async def close(self) -> None:
        """End `run`. The bridge stops, and its last state is kept for `dump`."""
        self._closing.set()

    async def publish_figures(self) -> None:
        """Publish the health figures of the bridge's process. Does nothing while the bridge does not answer."""
        health = await self._bridge.health()
        if health is None or self._bridge.pid is None:
            return
        processes = [psutil.Process(self._bridge.pid), *psutil.Process(self._bridge.pid).children(recursive=True)]
        times = [process.cpu_times() for process in processes]
        figures = WorldHealthReport(
            process=os.getpid(), second=health.second, agents=sum(server.agents for server in health.servers),
            ticks=0, missed=0, lateness=Lateness(), percepts=health.percepts, acts=health.acts,
            memory=sum(process.memory_info().rss for process in processes),
            cpu=sum(spent.user + spent.system for spent in times),
        )  # fmt: skip
        await self._client.publish(self._subjects.world_health(self._society), figures.model_dump_json().encode())

    def limit(self, until: float | None) -> None:
        """Do nothing: the clock of Minecraft cannot be stopped (`MinecraftWorld.pausable`)."""

    def dump(self) -> bytes:
        """Return the state of the bridge as it was read last."""
        return joined_dump(b"{}", self._state)

    def load(self, dumped: bytes) -> None:
        """Let the bridge begin with this state. Raises `InvalidSnapshotError` for other bytes."""
        _, state = split_dump(dumped)
        MinecraftWorld.load(state)
        self._state = state

    async def _read_state(self) -> None:
        try:
            self._state = await self._bridge.state()
        except ServerFailed as error:
            logger.warning("state of the Minecraft world not read", society=self._society, error=log_safe(error))

    async def _stop(self) -> None:
        await self._bridge.stop()
        if (last := self._bridge.stored_state()) is not None:
            self._state = last


def _directory(data: Path, name: str) -> Path:
    return data.expanduser().absolute() / "minecraft" / "societies" / name
