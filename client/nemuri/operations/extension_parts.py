"""The parts that webhooks and extensions take in backups, and extensions in erasures."""

from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from nemuri.operations.webhook_backup import WebhookBackup
from nemuri_infra.bus.event_log import Log
from nemuri_infra.process.extensions import parts
from nemuri_infra.projections.erasure_lineage import Thing


class RestorePart(Protocol):
    """The restore of an extension's files in a backup, which has been read and checked."""

    @property
    def title(self) -> str:
        """Return the plural of the items, such as "societies"."""
        ...

    @property
    def kept(self) -> tuple[str, ...]:
        """Return the names of the items that are restored."""
        ...

    @property
    def left_out(self) -> tuple[str, ...]:
        """Return the names of the items that are not restored, because they may contain erased content."""
        ...

    async def check(self, log: Log, *, repeated: bool) -> None:
        """Raise `OperationError` if the namespace already has such items. With `repeated`, items of the backup are
        accepted, because an interrupted restore may have restored them.
        """
        ...

    async def restore(self, log: Log) -> None:
        """Write the items. Replaces what an interrupted restore left of them."""
        ...


class BackupPart(Protocol):
    """The part of an extension in backups."""

    def owns(self, file: str) -> bool:
        """Return True if a file of a backup belongs to this extension."""
        ...

    async def back_up(self, log: Log, directory: Path) -> Sequence[str]:
        """Write the extension's stores into a directory, and return the names of the files.

        It is called before the log is read, so that nothing in the copy is newer than the copy of the log.
        """
        ...

    def plan_restore(self, directory: Path, files: Iterable[str], gone: Container[str]) -> RestorePart:
        """Return what is to be restored of these files of a checked backup. `gone` are the agents whose words must not
        come back. Raises `OperationError` for an invalid file.
        """
        ...


class ErasurePart(Protocol):
    """The part of an extension in erasures."""

    async def check_erasable(self, log: Log, things: Iterable[Thing]) -> None:
        """Raise `OperationError` if one of the items cannot be erased while the extension has copies of it."""
        ...

    async def sweep(self, log: Log) -> None:
        """Delete what deleted items left in the extension's stores. Requires the permissions of an eraser."""
        ...

    async def remaining_notes(self, log: Log) -> tuple[str, ...]:
        """Return a line for each place in the extension's stores that may still hold erased bytes."""
        ...


def backup_parts() -> tuple[BackupPart, ...]:
    """Return the parts of backups beside the log: those of all extensions, and the webhooks."""
    return (*parts("backup"), WebhookBackup())


def erasure_parts() -> tuple[ErasurePart, ...]:
    """Return the parts of all extensions in erasures."""
    return tuple(parts("erasure"))
