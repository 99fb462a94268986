"""Back up a namespace into a directory, and restore a backup into an empty namespace, without content erased since."""

import json
import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from nemuri.operations import erasure_ledger
from nemuri.operations.erasure_batches import union
from nemuri.operations.export_format import read_lines, summarize_export
from nemuri.operations.export_import import ErasedContent, check_empty, export_log, import_events
from nemuri.operations.extension_parts import RestorePart, backup_parts
from nemuri.operations.session import OperationError, ignore_progress, open_operation
from nemuri.operations.tombstones import restatements, tombstones_of
from nemuri_contracts.codec import encode, validation_message
from nemuri_contracts.erasure import Erasure
from nemuri_contracts.event import Event, Identifier
from nemuri_domain.event_sourcing.erasure import TOMBSTONES, Erased
from nemuri_domain.strength.aggregate import Mind
from nemuri_infra.projections.mind_loader import folded
from nemuri_infra.projections.projection import FOLD
from nemuri_infra.projections.rebuilder import Advance
from nemuri_infra.runtime.consumer_pauses import paused_until_complete
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.deletion import ErasedData
from nemuri_infra.stores.vectors import hash_in

LOG, MANIFEST = "log.jsonl", "manifest.json"
FORMAT = 2
"""Version of the backup format. Since version 2 the manifest contains its own checksum."""
PIECE = 1024 * 1024


class BackupFile(BaseModel):
    """A file of a backup."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes: int = Field(ge=0)
    sha256: str


class Manifest(BaseModel):
    """The manifest of a backup: its origin and its files. It is written last, so an incomplete backup has none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = Field(ge=FORMAT, le=FORMAT)
    namespace: Identifier
    log: str
    """Identity of the log that was backed up."""
    sequence: int = Field(ge=0)
    """Last sequence of the log in the backup."""
    fold: int
    """Version of the folds at the time of the backup. It is not used by a restore, which rebuilds the projections."""
    events: int = Field(ge=0)
    made_at: AwareDatetime
    files: dict[str, BackupFile]
    seal: str
    """SHA-256 of the other fields. It reveals a changed field, which could bring erased content back."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The result of a restore."""

    events: int
    """Number of events of the backup that are on the log now. Tombstones added by the restore are not counted."""
    left_out: int
    """Number of events of the backup that have been erased since."""
    erasures: int | None
    """Number of erasures that were applied. None without a ledger: then erasures since the backup are unknown."""
    parts: tuple[RestorePart, ...]
    """The restored webhooks, and the restored parts of extensions."""


async def backup(settings: Settings, directory: Path, on_progress: Advance = ignore_progress) -> Manifest:
    """Write the log, its stores, those of extensions and the ledger of erasures into a new directory.

    The platform may run.

    Raises `OperationError`.
    """
    async with open_operation(settings) as at:
        _make(directory)
        added = [name for part in backup_parts() for name in await part.back_up(at.log, directory)]
        identity, sequence = await at.log.identity(), await at.log.last_sequence()
    events = await export_log(settings, directory / LOG, on_progress)
    # The ledger is copied last, so that it names every erasure during the backup. The export may still hold a part of
    # the erased content.
    erasure_ledger.append(
        directory / erasure_ledger.LEDGER,
        erasure_ledger.entries(erasure_ledger.ledger_path(settings), settings.namespace),
    )
    said = {
        "format": FORMAT,
        "namespace": settings.namespace,
        "log": identity,
        "sequence": sequence,
        "fold": FOLD,
        "events": events,
        "made_at": datetime.now(UTC).isoformat(),
        "files": {name: _part(directory / name).model_dump() for name in (LOG, erasure_ledger.LEDGER, *added)},
    }
    sealed = said | {"seal": _seal(said)}
    _write(directory / MANIFEST, sealed)
    return Manifest.model_validate(sealed)


def _write(path: Path, said: object) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.write(json.dumps(said, indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _seal(said: Mapping[str, object]) -> str:
    rest = {name: value for name, value in said.items() if name != "seal"}
    return sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _make(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o700)
    except FileNotFoundError as error:
        raise OperationError(f"{directory} cannot be made: there is no directory {directory.parent}") from error
    except FileExistsError as error:
        raise OperationError(f"{directory} exists already; choose another name") from error
    except OSError as error:
        raise OperationError(f"{directory} cannot be made: {error.strerror}") from error


async def restore(
    settings: Settings, directory: Path, *, erasures: Path | None = None, on_progress: Advance = ignore_progress
) -> Restored:
    """Restore a backup into an empty namespace, without the content that was erased since.

    Three ledgers name the erased content: that in the backup, that in the data directory, and `erasures` if given. All
    files are checked before anything is written. Services stay paused until everything is restored. After an
    interruption the same restore must be repeated; it continues where it stopped. Raises `OperationError`.
    """
    manifest = read_manifest(directory)
    path = directory / LOG
    found = summarize_export(path)
    known = _ledgers(settings, directory, manifest.namespace, erasures)
    gone = _agents_to_exclude(
        known or (), erasure_ledger.entries(directory / erasure_ledger.LEDGER, manifest.namespace)
    )
    parts = tuple(part.plan_restore(directory, manifest.files, gone) for part in backup_parts())
    file = _File.read(path, union(entry.erasure for entry in known or ()))
    kept = manifest.events - len(file.doomed.sequences)
    async with open_operation(settings) as at:
        tombstones = list(file.tombstones(known or [], at.log.max_event_bytes))
        largest = max(len(encode(tombstone)) for tombstone in tombstones) if tombstones else 0
        await check_empty(at, path, replace(found, largest=max(found.largest, largest)))
        for part in parts:
            await part.check(at.log, repeated=await at.log.last_sequence() > 0)
        async with paused_until_complete(at.log):
            await import_events(at, path, found, kept, on_progress, left=file.left, tombstones=tombstones)
            for part in parts:
                await part.restore(at.log)
            erasure_ledger.append(erasure_ledger.ledger_path(settings), _unnoted(settings, known or []))
    return Restored(kept, len(file.doomed.sequences), None if known is None else len(known), parts)


def read_manifest(directory: Path) -> Manifest:
    """Return the manifest of a backup after checking that all its files exist unchanged. Raises `OperationError`."""
    path = directory / MANIFEST
    if not directory.is_dir():
        raise OperationError(f"there is no directory {directory}")
    try:
        data = path.read_bytes()
        manifest = Manifest.model_validate_json(data)
        if manifest.seal != _seal(json.loads(data)):
            raise OperationError(f"{path} has changed since it was written")
        owned = {name for part in backup_parts() for name in manifest.files if part.owns(name)}
        for name in {LOG, erasure_ledger.LEDGER, *owned}:
            if manifest.files.get(name) != _part(directory / name):
                raise OperationError(f"{directory / name} has changed since the backup")
    except FileNotFoundError as error:
        raise OperationError(f"{error.filename} is missing: {directory} is not a complete backup") from error
    except OSError as error:
        raise OperationError(f"{error.filename} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise OperationError(f"{path}: {validation_message(error)}") from error
    return manifest


def _part(path: Path) -> BackupFile:
    digest, size = sha256(), 0
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
            size += len(piece)
    return BackupFile(bytes=size, sha256=digest.hexdigest())


def _ledgers(
    settings: Settings, directory: Path, namespace: str, erasures: Path | None
) -> list[erasure_ledger.LedgerEntry] | None:
    """Return the erasures of all ledgers, each once; None if there is no ledger besides the backup's own."""
    if erasures is not None and not erasures.exists():
        raise OperationError(f"{erasures} cannot be read: there is no such file")
    own = erasure_ledger.ledger_path(settings)
    if erasures is None and not own.exists():
        return None
    copies = [directory / erasure_ledger.LEDGER, *([] if erasures is None or _same(own, erasures) else [erasures])]
    found = [entry for path in copies for entry in erasure_ledger.entries(path, namespace, copied=True)]
    found += erasure_ledger.entries(own, namespace)
    return list({ledger_entry.model_dump_json(): ledger_entry for ledger_entry in found}.values())


def _agents_to_exclude(
    entries: Iterable[erasure_ledger.LedgerEntry], before: Container[erasure_ledger.LedgerEntry]
) -> set[str]:
    """Return the agents whose words the restored stores of extensions must not contain.

    These are all erased agents, and the agents that lost memories in an erasure that is not in `before`, the ledger of
    the backup.
    """
    found = set[str]()
    for entry in entries:
        found.update(entry.erasure.agents)
        if entry not in before:
            found.update(entry.erasure.memories, entry.erasure.restated)
    return found


def _same(own: Path, other: Path) -> bool:
    return own.exists() and own.samefile(other)


def _unnoted(settings: Settings, known: Iterable[erasure_ledger.LedgerEntry]) -> list[erasure_ledger.LedgerEntry]:
    """Return the erasures in `known` that are missing from the ledger of the data directory, for its namespace."""
    there = erasure_ledger.entries(erasure_ledger.ledger_path(settings), settings.namespace)
    mine = (entry.model_copy(update={"namespace": settings.namespace}) for entry in known)
    return [ledger_entry for ledger_entry in mine if ledger_entry not in there]


@dataclass(slots=True)
class _File:
    """The parts of an export that are needed to apply the erasures since the backup."""

    erasure: Erasure
    doomed: ErasedData = field(default_factory=ErasedData)
    buried: list[Event] = field(default_factory=list)
    """Tombstones in the file."""
    minds: list[Event] = field(default_factory=list)
    """All tombstones, and all events of the agents whose remaining memories must be written again after the erasures.
    """
    refs: set[str] = field(default_factory=set)
    hashes: set[str] = field(default_factory=set)
    """Hashes of the texts that are kept. `refs` has the hashes of the blobs that are kept."""

    @classmethod
    def read(cls, path: Path, erasure: Erasure) -> "_File":
        """Read a checked export. The number of an event's line in the file becomes its sequence."""
        found, erased, stays = cls(erasure), Erased.of_erasure(erasure), ErasedData()
        for index, entry in enumerate(read_lines(path), 1):
            if not isinstance(entry, Event):
                continue
            event = entry.model_copy(update={"sequence": index})
            (found.doomed if erased.deletes(event) else stays).add(event)
            if isinstance(event, TOMBSTONES):
                found.buried.append(event)
            if isinstance(event, TOMBSTONES) or event.agent_id in erasure.restated:
                found.minds.append(event)
        found.refs, found.hashes = stays.refs, set(map(hash_in, stays.vectors)) | stays.hashes
        return found

    @property
    def left(self) -> ErasedContent:
        """Return the content that must not be imported."""
        gone = self.doomed.hashes | set(map(hash_in, self.doomed.vectors))
        blobs = frozenset(self.doomed.refs - self.refs)
        return ErasedContent(Erased.of_erasure(self.erasure), blobs, frozenset(gone - self.hashes))

    def tombstones(self, known: Iterable[erasure_ledger.LedgerEntry], room: int) -> Iterator[Event]:
        """Yield tombstones for the erasures `known` that the file does not contain yet.

        The first ones name the erased items. The others state the remaining memories anew; each fits into `room` bytes.
        """
        buried, there = Erased.by(self.buried), {event.event_id for event in self.buried}
        lacking = [ledger_entry for ledger_entry in known if not Erased.of_erasure(ledger_entry.erasure) <= buried]
        firsts = [event for event in tombstones_of(entry.step for entry in lacking) if event.event_id not in there]
        yield from firsts
        if lacking:
            yield from self._standing(f"restored/{lacking[-1].name}", firsts, room)

    def _standing(self, key: str, firsts: Sequence[Event], room: int) -> Iterator[Event]:
        erased = Erased.of_erasure(self.erasure)
        agents = [agent_id for agent_id in self.erasure.restated if agent_id not in self.erasure.agents]
        live, replayed = (folded(agents, [*some, *firsts]) for some in (self.minds, self._without(erased)))
        for name in agents:
            if live[name] != Mind():
                yield from restatements(live[name], replayed[name], erased.ids, name, f"{key}/{name}", room)

    def _without(self, erased: Erased) -> list[Event]:
        return [mind for mind in self.minds if not erased.deletes(mind)]
