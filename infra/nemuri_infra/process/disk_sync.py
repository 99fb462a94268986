"""What a process makes sure of on the disk."""

import os
from pathlib import Path


def sync_directory(directory: Path) -> None:
    """Wait until the disk knows which files are in a directory: what was made, renamed or removed there."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
