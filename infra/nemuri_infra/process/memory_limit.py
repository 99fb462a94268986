"""The memory limit of this process."""

from functools import cache
from pathlib import Path

import psutil

LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Files with the memory limit of a container, for version 2 and version 1 of control groups."""


@cache
def memory_limit() -> int:
    """Return the number of bytes that this process may use: its container's limit, else the machine's memory.

    It is read once.
    """
    whole = int(psutil.virtual_memory().total)
    for path in LIMITS:
        try:
            told = path.read_text(encoding="ascii").strip()
        except OSError:
            continue
        if told.isdecimal():
            return min(int(told), whole)
    return whole
