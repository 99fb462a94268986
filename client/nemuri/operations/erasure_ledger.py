"""The ledger of erasures: a file of ids beside the data. It keeps a restored older backup from undoing an erasure.

Every line ends in a newline and is synced to disk before its items are erased. So an incomplete last line was cut off
by a crash, and the items that it names were not erased.
"""

import fcntl
import os
from collections.abc import Container, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Literal, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError, model_validator

from nemuri.operations.erasure_batches import Step
from nemuri.operations.session import OperationError
from nemuri_contracts.codec import validation_message
from nemuri_contracts.erasure import Erasure
from nemuri_contracts.event import Identifier
from nemuri_infra.process.disk_sync import sync_directory
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.settings import Settings

LEDGER = "erasures.jsonl"


class LedgerEntry(BaseModel):
    """One erasure."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    erased_at: AwareDatetime
    namespace: Identifier
    sort: Literal["memory", "task", "agent"]
    """Kind of the requested item. Its id or name is in `name`."""
    name: str
    erasure: Erasure

    @property
    def root(self) -> Thing:
        """Return the requested item."""
        return Thing(self.sort, self.name if self.sort == "agent" else UUID(self.name))

    @property
    def step(self) -> Step:
        """Return the step that erases the requested item and all items that were erased with it."""
        return Step(self.root, self.erasure)

    @model_validator(mode="after")
    def _names_what_goes(self) -> Self:
        memories = {memory_id for ids in self.erasure.memories.values() for memory_id in ids}
        gone: dict[str, Container[object]] = {
            "memory": memories, "task": self.erasure.tasks, "agent": self.erasure.agents,
        }  # fmt: skip
        if self.root.name not in gone[self.sort]:
            raise ValueError(f"{self.sort} {self.name!r} is not among the erased items of the entry")
        return self


def ledger_path(settings: Settings) -> Path:
    """Return the path of a data directory's ledger."""
    return settings.data.expanduser().absolute() / LEDGER


def record_steps(settings: Settings, steps: Iterable[Step]) -> None:
    """Add the steps of an erasure to the ledger and sync it to disk. Call it before a step is carried out.

    Raises `OperationError`; nothing is recorded then.
    """
    said = {"erased_at": datetime.now(UTC), "namespace": settings.namespace}
    noted = ({"sort": step.root.sort, "name": str(step.root.name), "erasure": step.erasure} for step in steps)
    append(ledger_path(settings), [LedgerEntry.model_validate(said | note) for note in noted])


def append(path: Path, entries: Iterable[LedgerEntry]) -> None:
    """Append entries to a ledger, in place of an incomplete last line, and sync it to disk.

    If `OperationError` is raised, the ledger is unchanged.
    """
    lines = b"".join(entry.model_dump_json().encode() + b"\n" for entry in entries)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            _write(file, lines)
        sync_directory(path.parent)
    except OSError as error:
        raise OperationError(f"{path} cannot be written: {error.strerror}; nothing is erased") from error


def _write(file: BinaryIO, lines: bytes) -> None:
    """Write lines after the last complete one and sync the file. On an error, undo the partial write."""
    whole = _whole(file.read())
    end = len(whole)
    lines = b"\n" + lines if whole and not whole.endswith(b"\n") and lines else lines
    try:
        file.truncate(end)
        file.seek(end)
        while lines:
            lines = lines[file.write(lines) :]
        os.fsync(file.fileno())
    except OSError:
        file.truncate(end)
        raise


def _whole(data: bytes) -> bytes:
    """Return the data of a ledger without an incomplete last line."""
    end = data.rfind(b"\n") + 1
    try:
        LedgerEntry.model_validate_json(data[end:])
    except ValidationError:
        return data[:end]
    return data


def entries(path: Path, namespace: str, *, copied: bool = False) -> list[LedgerEntry]:
    """Return the erasures of a namespace in order; empty without a ledger. Raises `OperationError`.

    An incomplete last line is skipped. In a `copied` file it is an error, because the copy itself may be incomplete.
    """
    try:
        data = path.read_bytes() if path.exists() else b""
    except OSError as error:
        raise OperationError(f"{path} cannot be read: {error.strerror}") from error
    found: list[LedgerEntry] = []
    for number, line in enumerate((data if copied else _whole(data)).splitlines(), 1):
        try:
            found.append(LedgerEntry.model_validate_json(line))
        except ValidationError as error:
            raise OperationError(f"{path}:{number}: {validation_message(error)}") from error
    return [entry for entry in found if entry.namespace == namespace]
