"""The ledger of erasures: ids only, beside the data, so that a backup from before an erasure cannot undo it."""

import os
from collections.abc import Container, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError, model_validator

from nemuri.contracts.erasure import Erasure
from nemuri.contracts.event import Identifier
from nemuri.contracts.log import complaint
from nemuri.face.operations.workshop import OperationError
from nemuri.infra.settings import Settings
from nemuri.infra.views.lineage import Thing

LEDGER = "erasures.jsonl"


class Entry(BaseModel):
    """One erasure."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    erased_at: AwareDatetime
    namespace: Identifier
    sort: Literal["memory", "task", "agent"]
    """What was asked for, and its id or name."""
    name: str
    whole: Erasure

    @property
    def root(self) -> Thing:
        """What was asked for."""
        return Thing(self.sort, self.name if self.sort == "agent" else UUID(self.name))

    @property
    def owner(self) -> str | None:
        """Whose the memory is that was asked for; None where something else was."""
        owners = (agent for agent, ids in self.whole.memories.items() if self.root.name in ids)
        return next(owners, None) if self.sort == "memory" else None

    @model_validator(mode="after")
    def _names_what_goes(self) -> Self:
        gone: dict[str, Container[object]] = {"task": self.whole.tasks, "agent": self.whole.agents}
        if not (self.owner or self.root.name in gone.get(self.sort, ())):
            raise ValueError(f"{self.sort} {self.name!r} is not among what the entry says is erased")
        return self


def ledger_of(settings: Settings) -> Path:
    """Where a data directory keeps its ledger."""
    return settings.data.expanduser().absolute() / LEDGER


def note(settings: Settings, sort: str, name: object, whole: Erasure) -> None:
    """Add an erasure to the ledger, on the disk, before anything of it happens. Raises `OperationError`."""
    path = ledger_of(settings)
    said = {"erased_at": datetime.now(UTC), "namespace": settings.namespace, "sort": sort, "name": str(name)}
    append(path, [Entry.model_validate(said | {"whole": whole})])


def append(path: Path, entries: Iterable[Entry]) -> None:
    """Add entries to a ledger. Raises `OperationError`."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.writelines(each.model_dump_json().encode() + b"\n" for each in entries)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise OperationError(f"{path} cannot be written: {error.strerror}; nothing is erased") from error


def entries(path: Path, namespace: str) -> list[Entry]:
    """The erasures of a namespace, in their order; none without a ledger. Raises `OperationError`."""
    try:
        lines = path.read_bytes().splitlines() if path.exists() else []
    except OSError as error:
        raise OperationError(f"{path} cannot be read: {error.strerror}") from error
    found: list[Entry] = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(Entry.model_validate_json(line))
        except ValidationError as error:
            raise OperationError(f"{path}:{number}: {complaint(error)}") from error
    return [each for each in found if each.namespace == namespace]
