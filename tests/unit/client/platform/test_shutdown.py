"""Tests of stopping a platform from another process. A small process that holds the lock stands for the platform."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nemuri.platform.shutdown import NotStopped, Stopped, StopTimeout, stop_platform
from nemuri_infra.embedded.data_directory import Home

HOLDER = """
import signal, sys, time
from pathlib import Path
from nemuri_infra.embedded.data_directory import Home

signal.signal(signal.SIGTERM, lambda *_: sys.exit() if sys.argv[2] == "obedient" else None)
with Home(Path(sys.argv[1])).lock(sys.argv[3] or None):
    print("ready", flush=True)
    time.sleep(60)
"""
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts a process which holds the lock of the directory. It is killed afterwards."""
    started = list[subprocess.Popen[str]]()

    def holding(kind: str = "obedient", work: str = "") -> "subprocess.Popen[str]":
        command = [sys.executable, "-c", HOLDER, str(tmp_path), kind, work]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    yield holding
    for each in started:
        each.kill()
        each.communicate()


def test_a_platform_is_stopped_and_waited_for(start: Start, tmp_path: Path) -> None:
    """A platform gets SIGTERM and has ended afterwards. Then there is none to stop."""
    process = start()
    assert stop_platform(tmp_path, 30) == Stopped(process.pid, ())
    assert process.wait(1) == 0
    for data in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(NotStopped, match=f"no platform runs in {data}"):
            stop_platform(data, 30)
    assert not (tmp_path / "nowhere").exists()


def test_nothing_is_written_where_no_platform_has_run(tmp_path: Path) -> None:
    """Stopping a platform in a directory that never had one leaves the directory as it is."""
    with pytest.raises(NotStopped, match="no platform runs in"):
        stop_platform(tmp_path, 30)
    assert list(tmp_path.iterdir()) == []


def test_a_platform_that_does_not_end_is_named(start: Start, tmp_path: Path) -> None:
    """After the time limit the message names the process, which goes on."""
    process = start("stubborn")
    with pytest.raises(StopTimeout, match=rf"\(process {process.pid}\) still runs after 0.2 s"):
        stop_platform(tmp_path, 0.2)
    assert process.poll() is None


def test_a_process_that_does_not_hold_the_lock_is_not_stopped(start: Start, tmp_path: Path) -> None:
    """A recorded pid that belongs to another process, as in another container, gets no signal."""
    start()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        for pid in (str(other.pid), "999999999", ""):
            Home(tmp_path).lock_file.write_text(f"{pid}\n\n")
            with pytest.raises(NotStopped, match=f"not as process {pid or None} of this machine"):
                stop_platform(tmp_path, 1)
        assert other.poll() is None


def test_a_society_is_not_stopped(start: Start, tmp_path: Path) -> None:
    """A society on a server of its own is no platform, so it is named and goes on."""
    process = start(work="society 'village'")
    with pytest.raises(NotStopped, match="society 'village' runs in"):
        stop_platform(tmp_path, 1)
    assert process.poll() is None
