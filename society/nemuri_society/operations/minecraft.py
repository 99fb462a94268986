"""Societies in Minecraft: the bridge process and its files in the data directory."""

import shutil
from pathlib import Path
from typing import Final

from nemuri_infra.runtime.settings import Settings
from nemuri_society.contracts.society import Society
from nemuri_society.minecraft.bridge_process import MinecraftBridge
from nemuri_society.minecraft.node_modules import find_node, installed_modules
from nemuri_society.minecraft.settings import MAX_AGENTS_PER_SERVER, MAX_SERVERS, MinecraftSettings
from nemuri_society.operations.settings import SocietySettings

MAX_AGENTS: Final = MAX_AGENTS_PER_SERVER * MAX_SERVERS
"""Maximum number of agents in a Minecraft society."""


def check_requirements(society: Society, data: Path) -> None:
    """Raise ValueError if the society cannot run in Minecraft.

    Raises `MinecraftUnavailable` if Node.js or the modules of the Minecraft world are not installed.
    """
    if society.speed != 1:
        raise ValueError(f"--speed {society.speed:g}: Minecraft runs in real time, so the speed must be 1")
    if len(society.agents) > MAX_AGENTS:
        raise ValueError(f"--agents {len(society.agents)}: a Minecraft world has room for {MAX_AGENTS}")
    find_node()
    installed_modules(data)


def build_bridge(society: Society, settings: Settings) -> MinecraftBridge:
    """Return the bridge process of a society, with the state that it stored in its last run.

    Raises `MinecraftUnavailable` if the Minecraft world is not installed.
    """
    servers = -(-len(society.agents) // MAX_AGENTS_PER_SERVER)
    minecraft_settings = MinecraftSettings(society=society.name, seed=society.seed % 2**31, servers=servers)
    url = SocietySettings().world_nats_url or str(settings.nats_url)
    directory = _state_directory(settings.data, society.name)
    return MinecraftBridge(directory, settings.data, url, settings.namespace, minecraft_settings, settings.access)


def delete_world(name: str, data: Path) -> None:
    """Remove the stored world of a society, if there is one."""
    if (directory := _state_directory(data, name)).is_dir():
        shutil.rmtree(directory)


def _state_directory(data: Path, name: str) -> Path:
    return data.expanduser().absolute() / "minecraft" / "societies" / name
