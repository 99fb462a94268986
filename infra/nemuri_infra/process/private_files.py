"""Files that only their owner can read, and the secret of a directory, which is stored in such a file."""

import os
import re
import secrets
from pathlib import Path

SECRET = "secret"  # noqa: S105 - the name of the file
_WHOLE = re.compile(r"[A-Za-z0-9_-]{32}")


def write_private(path: Path, text: str) -> None:
    """Write a file atomically. From the start only its owner can read it.

    If the file has this text already, it is not written again, so that no room is needed on a full disk.
    """
    if path.exists() and path.read_text(encoding="utf-8") == text:
        path.chmod(0o600)
        return
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def kept_secret(directory: Path) -> str:
    """Return the random secret of a directory: 32 letters, digits, `_` and `-`.

    The first call creates and stores it.
    """
    path = directory / SECRET
    known = path.read_text(encoding="utf-8") if path.exists() else ""
    if not _WHOLE.fullmatch(known):
        known = secrets.token_urlsafe(24)
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(path, known)
    return known
