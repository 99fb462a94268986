"""Limits of a process on a shared machine: its memory and its threads."""

from functools import cache
from pathlib import Path
from typing import Final

MEMORY_LIMIT_FILES = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Files with the memory limit of a container, for version 2 and version 1 of control groups."""
ONE_THREAD: Final = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Environment variables that limit linear algebra to one thread. They must be set before numpy is loaded."""


@cache
def memory_limit() -> int:
    """Return the number of bytes that this process may use: its container's limit, otherwise the machine's memory.

    The limit is read at the first call and then cached.
    """
    import psutil  # imported here, because the command line needs only the threads

    whole = int(psutil.virtual_memory().total)
    for path in MEMORY_LIMIT_FILES:
        try:
            told = path.read_text(encoding="ascii").strip()
        except OSError:
            continue
        if told.isdecimal():
            return min(int(told), whole)
    return whole
