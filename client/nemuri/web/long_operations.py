"""The work of long operations that are started over HTTP: erasure, rebuild, verification and backup."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nemuri.operations import views
from nemuri.operations.backup import backup as write_backup
from nemuri.operations.erasure import forget
from nemuri.web.operation_registry import Work
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.projections.rebuilder import Advance
from nemuri_infra.runtime.settings import Settings


def erasure(settings: Settings, thing: Thing) -> Work:
    """Return the work of erasing a memory, task or agent with everything derived from it."""

    async def work(advance: Advance) -> dict[str, Any]:
        done = await forget(settings, [thing], advance)
        return {"events": done.events, "letters": done.letters, "blobs": done.blobs, "left": [*done.remaining_notes]}

    return work


def rebuild(settings: Settings, *, from_start: bool = False) -> Work:
    """Return the work of folding the views again, with `from_start` without a snapshot."""

    async def work(advance: Advance) -> dict[str, Any]:
        return {"sequence": (await views.rebuild(settings, advance, from_start=from_start)).sequence}

    return work


def verification(settings: Settings) -> Work:
    """Return the work of comparing the views with the log."""

    async def work(advance: Advance) -> dict[str, Any]:
        found = await views.verify(settings, advance)
        return {
            "rows": found.rows,
            "sequence": found.sequence,
            "differences": [*found.differences],
            "halted": found.halted,
        }

    return work


def backup(settings: Settings) -> Work:
    """Return the work of writing a backup into a new directory below `backups_directory`."""

    async def work(advance: Advance) -> dict[str, Any]:
        directory = backups_directory(settings) / f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}"
        directory.parent.mkdir(mode=0o700, exist_ok=True)
        made = await write_backup(settings, directory, advance)
        return {"directory": str(directory), "events": made.events, "sequence": made.sequence}

    return work


def backups_directory(settings: Settings) -> Path:
    """Return the directory for backups that are made over HTTP, in the data directory of this process."""
    return Home(settings.data).path / "backups"
