"""Tests of the erasure ledger. Complete lines are read; an incomplete last line, left by an interrupted write, is
ignored.
"""

import errno
import os
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from nemuri.operations.erasure_batches import Step
from nemuri.operations.erasure_ledger import entries, ledger_path, record_steps
from nemuri.operations.session import OperationError
from nemuri_contracts.erasure import Erasure
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.settings import Settings

NAMESPACE = "nemuri"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return the settings of an empty data directory."""
    return Settings(namespace=NAMESPACE, data=tmp_path / "data")


def noted(settings: Settings) -> UUID:
    """Enter the erasure of a task in the ledger, and return the id of the task."""
    task_id = uuid4()
    record_steps(settings, [Step(Thing("task", task_id), Erasure(tasks=(task_id,)))])
    return task_id


def names(settings: Settings) -> list[UUID | str]:
    """Return the names of the roots of the ledger's entries: the things whose erasure was requested."""
    return [entry.root.name for entry in entries(ledger_path(settings), NAMESPACE)]


@pytest.mark.parametrize("kept", [0, 1, 40, -2])
def test_a_torn_last_line_is_ignored_and_overwritten(settings: Settings, kept: int) -> None:
    """An incomplete last line is ignored, and the next entry overwrites it. The lines before it are read."""
    first, _ = noted(settings), noted(settings)
    lines = ledger_path(settings).read_bytes().splitlines(keepends=True)
    ledger_path(settings).write_bytes(lines[0] + lines[1][:kept])
    assert names(settings) == [first]
    third = noted(settings)
    assert names(settings) == [first, third]
    assert len(ledger_path(settings).read_bytes().splitlines()) == 2


def test_zeros_at_the_end_are_a_torn_line(settings: Settings) -> None:
    """Zero bytes at the end, which a file system may leave after a power failure, count as an incomplete line."""
    first = noted(settings)
    with ledger_path(settings).open("ab") as file:
        file.write(bytes(200))
    assert names(settings) == [first]


def test_a_last_entry_without_a_newline_counts(settings: Settings) -> None:
    """A complete last entry without a newline is read."""
    first = noted(settings)
    ledger_path(settings).write_bytes(ledger_path(settings).read_bytes().rstrip())
    assert names(settings) == [first]
    assert [*names(settings), noted(settings)] == names(settings)


def test_a_damaged_line_before_the_last_is_refused(settings: Settings) -> None:
    """A damaged line before the last one is refused with an error that names the file and the line."""
    noted(settings)
    ledger_path(settings).write_bytes(b"{}\n" + ledger_path(settings).read_bytes())
    with pytest.raises(OperationError, match=rf"{ledger_path(settings)}:1: "):
        names(settings)


def test_a_truncated_copy_is_refused(settings: Settings) -> None:
    """A copy that is shorter than its source is refused, because entries at its end may be missing."""
    noted(settings)
    ledger_path(settings).write_bytes(ledger_path(settings).read_bytes()[:-9])
    with pytest.raises(OperationError, match=rf"{ledger_path(settings)}:1: "):
        entries(ledger_path(settings), NAMESPACE, copied=True)


def test_a_disk_without_room_leaves_the_ledger_as_it_was(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk has no room, a write raises an error and leaves the ledger as it was before."""

    def full(_descriptor: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    noted(settings)
    before = ledger_path(settings).read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OperationError, match="No space left on device; nothing is erased"):
            noted(settings)
    assert ledger_path(settings).read_bytes() == before
