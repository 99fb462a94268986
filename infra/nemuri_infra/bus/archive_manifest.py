"""The manifest of an archive of the log: which log it belongs to, and its segments."""

import os
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from nemuri_infra.bus.archive_segment import ArchiveError, SegmentEntry
from nemuri_infra.process.disk_sync import sync_directory
from nemuri_infra.process.private_files import write_private

MANIFEST = "manifest.json"


class ArchiveManifest(BaseModel):
    """The segments of an archive. They hold every message from the beginning of the log to the end of the last."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    namespace: str
    log: str
    """Identity of the log: the creation time of its stream in nanoseconds."""
    segments: tuple[SegmentEntry, ...] = ()

    @property
    def until(self) -> int:
        """Return the last archived sequence; 0 for an empty archive."""
        return self.segments[-1].until if self.segments else 0

    def up_to(self, until: int) -> "ArchiveManifest":
        """Return the manifest without the segments after a sequence, with which one of them must end."""
        return self.model_copy(update={"segments": tuple(entry for entry in self.segments if entry.until <= until)})

    def with_segments(self, segments: tuple[SegmentEntry, ...]) -> "ArchiveManifest":
        """Return the manifest with these segments in place of the present ones."""
        return self.model_copy(update={"segments": segments})

    @model_validator(mode="after")
    def _without_gaps(self) -> Self:
        end = 0
        for entry in self.segments:
            if entry.after != end or entry.until <= end:
                raise ValueError(f"the segment after {end} is missing")
            end = entry.until
        return self


def read_manifest(directory: Path) -> ArchiveManifest | None:
    """Return the manifest of an archive; None if there is none. Raises `ArchiveError` if it cannot be used."""
    path = directory / MANIFEST
    try:
        return ArchiveManifest.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        said = error.errors(include_url=False)[0]
        raise ArchiveError(f"{path} is damaged: {'.'.join(map(str, said['loc']))} {said['msg']}".strip()) from error


def write_manifest(directory: Path, manifest: ArchiveManifest) -> None:
    """Write the manifest atomically, and sync it to disk."""
    write_private(directory / MANIFEST, manifest.model_dump_json(indent=1) + "\n")
    sync_directory(directory)


def version_of(directory: Path) -> tuple[int, int, int] | None:
    """Return a value that changes when the manifest is written; None without a manifest."""
    try:
        status = os.stat(directory / MANIFEST)  # noqa: PTH116 - one call for each reading
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
