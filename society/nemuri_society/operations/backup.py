"""Societies in a backup: their present states, their checkpoints and their records, each in a file of its own."""

import re
import zlib
from collections.abc import AsyncIterator, Container, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

from nats.js.errors import ObjectNotFoundError

from nemuri.operations.session import OperationError
from nemuri_infra.bus.event_log import Log
from nemuri_infra.stores.bucket_reader import BucketEntry
from nemuri_infra.stores.objects import IncompleteObjectError
from nemuri_society.contracts.society import Society
from nemuri_society.simulation.archive_format import pack_entries, unpack_entries
from nemuri_society.simulation.checkpoints import Checkpoints, entries_without_leases
from nemuri_society.stores.society_record import SocietyRecord
from nemuri_society.stores.society_states import SOCIETY, States, in_batches, societies

NOW: Final = "now"
"""Part of the file name of the copy of the present states. The copy of a checkpoint has the checkpoint's name there."""
RECORD: Final = "record"
"""The same of the copy of the record."""
FILE: Final = re.compile(r"society\.([A-Za-z0-9][A-Za-z0-9_-]{0,47})\.(now|record|[0-9]{8}T[0-9]{12})")


@dataclass(frozen=True, slots=True)
class SocietyBackup:
    """A society in a backup."""

    society: Society
    entries: dict[str, bytes]
    checkpoints: dict[str, bytes]
    record: dict[str, bytes]
    """Messages of the record, by writer and sequence, in order."""

    def tells_of(self, agents: Container[str]) -> bool:
        """Return True if the states may contain words of any of these agents."""
        return any(resident.id in agents for resident in self.society.agents)


@dataclass(frozen=True, slots=True)
class SocietiesRestore:
    """The societies of a backup that a restore writes, and those that it leaves out."""

    kept_backups: tuple[SocietyBackup, ...]
    left_out: tuple[str, ...]
    """Names of the societies whose states may contain erased content."""
    title: str = "societies"

    @property
    def kept(self) -> tuple[str, ...]:
        """Return the names of the societies that are restored."""
        return tuple(backup.society.name for backup in self.kept_backups)

    async def check(self, log: Log, *, repeated: bool) -> None:
        """Raise `OperationError` if there are societies already. With `repeated`, those of the backup are accepted."""
        await _check_no_other(log, self.kept if repeated else ())

    async def restore(self, log: Log) -> None:
        """Restore the societies. Replaces what an interrupted restore left of them."""
        for backup in self.kept_backups:
            await _restore(log, backup)


def owns(file: str) -> bool:
    """Return True if a file of a backup belongs to a society."""
    return FILE.fullmatch(file) is not None


def plan_restore(directory: Path, files: Iterable[str], gone: Container[str]) -> SocietiesRestore:
    """Return the societies among the files of a checked backup, without those with words of the agents `gone`.

    Raises `OperationError` for an invalid file.
    """
    found = _read_backups(directory, files)
    stay = tuple(society_backup for society_backup in found if not society_backup.tells_of(gone))
    return SocietiesRestore(
        stay, tuple(society_backup.society.name for society_backup in found if society_backup not in stay)
    )


async def back_up(log: Log, directory: Path) -> list[str]:
    """Write every society of the namespace into a directory, and return the names of the files. The societies may run.

    Call it before the log is read, so that no copied state is newer than the copy of the log.
    """
    files = list[str]()
    for name in await societies(log):
        states, checkpoints = await States.open(log, name), await Checkpoints.open(log, name)
        copies = {
            NOW: await pack_entries(entries_without_leases(states)),
            RECORD: await pack_entries(_record_entries(SocietyRecord(log, name))),
        }
        for checkpoint in await checkpoints.names():
            try:
                copies[checkpoint] = await checkpoints.read_packed(checkpoint)
            except (ObjectNotFoundError, IncompleteObjectError):
                if checkpoint in await checkpoints.names():
                    raise
                continue  # a newer checkpoint has replaced this one meanwhile
        for checkpoint, data in copies.items():
            files.append(f"society.{name}.{checkpoint}")
            (directory / files[-1]).write_bytes(data)
    return files


def _read_backups(directory: Path, files: Iterable[str]) -> list[SocietyBackup]:
    """Return the societies among the files of a checked backup. Raises `OperationError` for an invalid file."""
    found = dict[str, dict[str, Path]]()
    for name in sorted(files):
        if match := FILE.fullmatch(name):
            found.setdefault(match[1], {})[match[2]] = directory / name
    return [_read_backup(name, paths) for name, paths in found.items()]


def _read_backup(name: str, paths: dict[str, Path]) -> SocietyBackup:
    try:
        copies = {checkpoint: path.read_bytes() for checkpoint, path in paths.items()}
        entries, record = unpack_entries(copies.pop(NOW)), unpack_entries(copies.pop(RECORD))
        society = Society.model_validate_json(entries[SOCIETY])
    except (OSError, EOFError, zlib.error, KeyError, ValueError, TypeError) as error:
        why = "a part is missing" if isinstance(error, KeyError) else str(error).partition("\n")[0]
        raise OperationError(f"society {name!r} of the backup cannot be read: {why}") from error
    if society.name != name:
        raise OperationError(f"society {name!r} of the backup is {society.name!r}")
    return SocietyBackup(society, entries, copies, record)


async def _check_no_other(log: Log, own: Container[str]) -> None:
    """Raise `OperationError` if there is a society that is not in `own`.

    `own` are the societies of the backup, which an interrupted restore may have restored before.
    """
    if there := [society for society in await societies(log) if society not in own]:
        raise OperationError(f"there are societies already ({', '.join(there)}); restore into a fresh namespace")


async def _restore(log: Log, kept: SocietyBackup) -> None:
    """Restore a society with its checkpoints and without leases. Replaces what an interrupted restore left of it."""
    await States(log, kept.society.name).delete()
    states = await States.create(log, kept.society)
    for batch in in_batches({key: value for key, value in kept.entries.items() if key != SOCIETY}):
        await states.write(batch, {})
    checkpoints = await Checkpoints.open(log, kept.society.name)
    for name, data in sorted(kept.checkpoints.items()):
        await checkpoints.put(name, data)
    record = SocietyRecord(log, kept.society.name)
    await record.erase()
    for key, data in kept.record.items():
        await record.append(data, f"restored/{uuid4().hex}", key.partition(".")[0])


async def _record_entries(record: SocietyRecord) -> AsyncIterator[BucketEntry]:
    """Yield the messages of a record as entries, whose keys are the writer and the sequence."""
    async for message in record.stored():
        sequence = message.metadata.sequence.stream
        yield BucketEntry(f"{message.subject.rpartition('.')[2]}.{sequence}", message.data, sequence)
