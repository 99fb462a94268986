"""Stopping a platform from another process."""

import time
from pathlib import Path

import psutil

from nemuri_infra.embedded.child_processes import is_running
from nemuri_infra.embedded.data_directory import Home

POLL_SECONDS = 0.05


class NotStopped(Exception):  # noqa: N818 - the name states a fact
    """There is no platform to stop, or it was not stopped. The message is one line."""


class StopTimeout(NotStopped):
    """The platform has not ended in time. It was told to, and may end later."""


def stop_platform(data: Path, seconds: float) -> int:
    """Send SIGTERM to the platform of a data directory, wait until it has ended, and return its pid.

    Raises `NotStopped` if no platform runs there or if its process cannot be stopped, `StopTimeout` after `seconds`,
    and `HomeUnusable`.
    """
    home = Home.existing(data)
    holder = home.holder if home else None
    if home is None or holder is None:
        raise NotStopped(f"no platform runs in {data.expanduser().absolute()}")
    if holder.society is not None:
        raise NotStopped(f"society {holder.society!r} runs in {home.path} ({holder}), and no platform; end it instead")
    process = _process(home, holder.pid)
    try:
        process.terminate()
    except psutil.NoSuchProcess:
        return process.pid
    except psutil.AccessDenied as error:
        raise NotStopped(f"the platform in {home.path} (process {process.pid}) belongs to another user") from error
    _wait(process, home, seconds)
    return process.pid


def _process(home: Home, pid: int | None) -> psutil.Process:
    """Return the process with this pid if it holds the lock of the directory.

    The recorded pid alone is not enough: it may be one of another machine or container that uses the same directory.
    """
    try:
        process = psutil.Process(pid) if pid is not None else None
        held = process is not None and str(home.lock_file.resolve()) in {each.path for each in process.open_files()}
    except psutil.AccessDenied as error:
        raise NotStopped(f"the platform in {home.path} (process {pid}) belongs to another user") from error
    except psutil.Error:
        process, held = None, False
    if process is None or not held:
        raise NotStopped(
            f"a platform runs in {home.path}, but not as process {pid} of this machine; stop it where it was started"
        )
    return process


def _wait(process: psutil.Process, home: Home, seconds: float) -> None:
    end = time.monotonic() + seconds
    while is_running(process):  # no event tells the end of a process that is not our child
        if time.monotonic() >= end:
            raise StopTimeout(f"the platform in {home.path} (process {process.pid}) still runs after {seconds:g} s")
        time.sleep(POLL_SECONDS)
