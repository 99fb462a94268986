"""Writing of directories to disk, so that changes in them survive a crash."""

import os
from pathlib import Path


def sync_directory(directory: Path) -> None:
    """Write the entries of a directory to disk, so that created, renamed and deleted files survive a crash of the
    machine.
    """
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
