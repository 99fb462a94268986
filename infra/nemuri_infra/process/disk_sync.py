"""Durable changes of directories."""

import os
from pathlib import Path


def sync_directory(directory: Path) -> None:
    """Write a directory to disk, so that created, renamed and deleted files in it survive a crash of the machine."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
