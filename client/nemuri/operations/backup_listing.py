"""The backups in a directory, as their manifests describe them."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from nemuri.operations.backup import MANIFEST, Manifest


@dataclass(frozen=True, slots=True)
class FoundBackup:
    """A directory that is a backup, or was to become one."""

    directory: Path
    manifest: Manifest | None
    """Its manifest; None if the backup is incomplete or damaged."""

    @property
    def bytes(self) -> int:
        """Return the size of its files, as the manifest states it."""
        return sum(file.bytes for file in self.manifest.files.values()) if self.manifest else 0


def backups_below(directory: Path) -> list[FoundBackup]:
    """Return the backups in the folders of a directory, the last one by name first. The files are not checked."""
    if not directory.is_dir():
        return []
    folders = sorted((path for path in directory.iterdir() if path.is_dir()), reverse=True)
    return [FoundBackup(folder, _manifest(folder / MANIFEST)) for folder in folders]


def _manifest(path: Path) -> Manifest | None:
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
