"""Stopping a platform from another process."""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from nemuri.platform.leftovers import end_leftovers
from nemuri_infra.embedded.child_processes import is_running
from nemuri_infra.embedded.data_directory import AlreadyRunning, Home

POLL_SECONDS = 0.05


class NotStopped(Exception):  # noqa: N818 - the name states a fact
    """There is no platform to stop, or it was not stopped. The message is one line."""


class StopTimeout(NotStopped):
    """The platform has not ended in time. It was told to, and may end later."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The processes that were stopped in a data directory."""

    pid: int | None
    """Process of the platform; None if it had been killed before."""
    leftovers: tuple[str, ...]
    """Workers and servers that the platform had left behind and that were ended too. Empty after a regular end."""


def stop_platform(data: Path, seconds: float) -> Stopped:
    """End the platform of a data directory, with everything that it or a killed one left behind there.

    A running platform gets SIGTERM and is waited for. Raises `NotStopped` if nothing runs there or if a process cannot
    be stopped, `StopTimeout` after `seconds`, `ServerFailed` if something left behind does not end, and `HomeUnusable`.
    """
    end = time.monotonic() + seconds
    home = Home.existing(data)
    if home is None:
        raise NotStopped(f"no platform runs in {data.expanduser().absolute()}")
    pid = _stop_holder(home, seconds)
    leftovers = _end_leftovers(home, max(0.0, end - time.monotonic()))
    if pid is None and not leftovers:
        raise NotStopped(f"no platform runs in {home.path}")
    return Stopped(pid, leftovers)


def _stop_holder(home: Home, seconds: float) -> int | None:
    """Stop the platform that holds the lock and return its pid; None if there is none. Raises like `stop_platform`."""
    holder = home.holder
    if holder is None:
        return None
    if holder.work is not None:
        raise NotStopped(f"{holder.work} runs in {home.path} ({holder}), and no platform; end it instead")
    process = _process(home, holder.pid)
    try:
        process.terminate()
    except psutil.NoSuchProcess:
        return process.pid
    except psutil.AccessDenied as error:
        raise NotStopped(f"the platform in {home.path} (process {process.pid}) belongs to another user") from error
    _wait(process, home, seconds)
    return process.pid


def _end_leftovers(home: Home, seconds: float) -> tuple[str, ...]:
    """End what was left behind and return what it was. Nothing is, if a service manager has started the next platform.

    Raises `StopTimeout` after `seconds`.
    """
    if not home.lock_file.exists():  # No platform has ever run here.
        return ()

    async def ended() -> tuple[str, ...]:
        async with asyncio.timeout(seconds):
            return await end_leftovers(home)

    try:
        with home.lock():
            return asyncio.run(ended())
    except AlreadyRunning:
        return ()
    except TimeoutError as error:
        raise StopTimeout(f"what a platform left behind in {home.path} still runs after {seconds:g} s") from error


def _process(home: Home, pid: int | None) -> psutil.Process:
    """Return the process with this pid if it holds the lock of the directory.

    The recorded pid alone is not enough: it may be one of another machine or container that uses the same directory.
    """
    try:
        process = psutil.Process(pid) if pid is not None else None
        held = process is not None and str(home.lock_file.resolve()) in {file.path for file in process.open_files()}
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
