"""The processes of a running society: hosts and the world, started again when they die."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from nemuri.contracts.society import Society
from nemuri.face.workers import Copy, environment_of
from nemuri.infra.embedded.supervisor import Supervised
from nemuri.infra.minecraft.bridging import MinecraftBridge
from nemuri.infra.minecraft.settings import MOST_BOTS, MinecraftSettings
from nemuri.infra.settings import Settings


def processes(society: Society, settings: Settings, limit: int) -> list[Supervised]:
    """One process for each host, and one for the world; raises MinecraftUnavailable where that one cannot be had."""
    environment = environment_of(settings.model_copy(update={"http": None}))  # that address is one process's
    options = ["--limit", str(limit)]
    hosts = [
        Copy(f"host-{nth + 1}", command(settings.data, "host", society.name, options), environment)
        for nth in range(society.hosts)
    ]
    return [_world(society, settings, environment), *hosts]


def _world(society: Society, settings: Settings, environment: Mapping[str, str]) -> Supervised:
    if society.world == "grid":
        return Copy("world", command(settings.data, "world", society.name, ()), environment)
    data = settings.data.expanduser().absolute()
    servers = -(-len(society.agents) // MOST_BOTS)
    chosen = MinecraftSettings(society=society.name, seed=society.seed % 2**31, servers=servers)
    kept = data / "minecraft" / society.name
    return MinecraftBridge(kept, data, str(settings.nats_url), settings.namespace, chosen, settings.access)


def command(data: Path, role: str, name: str, options: Sequence[str]) -> list[str]:
    """How one of them is started."""
    here = [sys.executable, "-m", "nemuri", "--data", str(data.absolute()), "society", role, name]
    return [*here, *options, "--parent", str(os.getpid())]
