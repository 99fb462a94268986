"""Durability of directory entries."""

import os
from pathlib import Path


def sync_directory(directory: Path) -> None:
    """Sync a directory, so that created, renamed and deleted files in it are durable."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
