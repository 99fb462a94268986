"""The processes of a running society: supervised hosts and a world."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from nemuri.platform.workers import WorkerReplica, environment_of
from nemuri_infra.embedded.supervisor import Supervised
from nemuri_infra.runtime.settings import Settings
from nemuri_society.contracts.society import Society
from nemuri_society.operations.settings import SocietySettings


def build_processes(society: Society, settings: Settings, limit: int) -> list[Supervised]:
    """Return one process for the world and one for each host of a society."""
    environment, options = _environment(settings, SocietySettings().host_nats_url), ["--limit", str(limit)]
    hosts = [
        WorkerReplica(f"host-{nth + 1}", process_command(settings.data, "host", society.name, options), environment)
        for nth in range(society.hosts)
    ]
    return [_world_process(society, settings), *hosts]


def _environment(settings: Settings, nats_url: str | None) -> dict[str, str]:
    """Return the environment for a child process.

    With `nats_url`, the process has a NATS user of its own, and gets no addresses with the credentials of other users.
    """
    alone = settings.model_copy(update={"http": None})  # Only one process can use the HTTP address.
    if nats_url is None:
        return environment_of(alone)
    others = dict.fromkeys(("DATABASE_URL", "NEMURI_HOST_NATS_URL", "NEMURI_WORLD_NATS_URL"), "")
    return environment_of(alone.model_copy(update={"nats_url": nats_url})) | others


def _world_process(society: Society, settings: Settings) -> Supervised:
    environment = _environment(settings, SocietySettings().world_nats_url)
    return WorkerReplica("world", process_command(settings.data, "world", society.name, ()), environment)


def process_command(data: Path, role: str, name: str, options: Sequence[str]) -> list[str]:
    """Return the command line of a host or world process, as a list of arguments."""
    nemuri = [sys.executable, "-m", "nemuri", "--data", str(data.absolute()), "society", role, name]
    return [*nemuri, *options, "--parent", str(os.getpid())]
