"""How much memory this process may take."""

from functools import cache
from pathlib import Path

import psutil

LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Where a container's limit is told: by version 2 of control groups, and by version 1."""


@cache
def memory_limit() -> int:
    """Return the bytes that this process may take: its container's limit, else all that the machine has."""
    whole = int(psutil.virtual_memory().total)
    for path in LIMITS:
        try:
            told = path.read_text(encoding="ascii").strip()
        except OSError:
            continue
        if told.isdecimal():
            return min(int(told), whole)
    return whole
