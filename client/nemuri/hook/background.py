"""Work of the hooks that takes longer than an assistant waits: a process of its own starts the platform if none runs,
prepares the agent, and hands on what earlier sessions left behind.
"""

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from nemuri.hook.journal import folder
from nemuri_infra.process.hook_settings import HookSettings

SWITCH = "NEMURI_HOOK_START"
"""Environment variable that keeps hooks from starting a platform with the value `off`."""


def is_due(where: HookSettings) -> bool:
    """Return True if sessions were left behind or wait in the spool."""
    from nemuri.hook import open_sessions, spool

    return bool(spool.waiting(where.data) or open_sessions.left_behind(where.data))


def may_start(where: HookSettings) -> bool:
    """Return True unless the platform runs elsewhere, or the environment keeps hooks from starting one."""
    return where.nats_url is None and os.environ.get(SWITCH) != "off"


def start(where: HookSettings) -> bool:
    """Start the work in a process of its own, unless it runs already, and return True.

    Nothing is started if the platform runs elsewhere or if hooks may not start one. Returns False then.
    """
    if not may_start(where):
        return False
    with only_one(where.data) as alone:
        if not alone:
            return True
    import subprocess  # it takes longer than the rest of the hook

    command = [sys.executable, "-m", "nemuri", "--data", where.data, "hook", "wake", "--agent", where.agent]
    with open(os.path.join(folder(where.data), "wake.log"), "ab") as log:  # noqa: PTH118, PTH123
        subprocess.Popen(  # noqa: S603 - our own command
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    return True


@contextmanager
def only_one(data: str) -> Iterator[bool]:
    """Yield True if no other process does this work for a data directory, and keep others from it meanwhile."""
    descriptor = os.open(os.path.join(folder(data), "wake.lock"), os.O_RDWR | os.O_CREAT, 0o600)  # noqa: PTH118
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)
