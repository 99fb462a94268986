"""Files in which hooks keep their state. Several hooks may write at the same time."""

import os
from pathlib import Path


def write_state(path: Path, text: str) -> None:
    """Write a file atomically and to the disk. Only its owner can read it. Raises `OSError`.

    The temporary file has the process's own name, unlike that of `private_files.write_private`, because another hook
    may write the same file.
    """
    fresh = path.with_suffix(f".{os.getpid()}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
