"""Tests of the data directory. It is used by one platform at a time, and holds addresses only while the platform
runs.
"""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from nemuri_infra.embedded.data_directory import Addresses, AlreadyRunning, Home, HomeUnusable, default_path

ADDRESSES = Addresses(nats_url="nats://127.0.0.1:1", database_url="postgresql://postgres@/nemuri", pid=os.getpid())
HOLDER = """
import os, sys
from pathlib import Path
from nemuri_infra.embedded.data_directory import Addresses, Home

home = Home(Path(sys.argv[1]))
with home.lock():
    home.write_addresses(Addresses(nats_url="nats://127.0.0.1:1", database_url="postgresql://", pid=os.getpid()))
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_platform_is_refused(tmp_path: Path) -> None:
    """A second platform is refused with a line that names the process id of the running one."""
    home = Home(tmp_path / "home")
    with home.lock(), pytest.raises(AlreadyRunning) as refused, Home(home.path).lock():
        raise AssertionError
    assert refused.value.pid == os.getpid()
    assert str(refused.value) == f"nemuri already runs in {home.path} (process {os.getpid()})"


def test_addresses_exist_only_while_the_platform_runs(tmp_path: Path) -> None:
    """The addresses of the servers can be read from the moment they are written until the platform releases the
    lock.
    """
    home, reader = Home(tmp_path), Home(tmp_path)
    assert reader.read_addresses() is None
    with home.lock():
        assert reader.read_addresses() is None
        home.write_addresses(ADDRESSES)
        assert reader.read_addresses() == ADDRESSES
    assert reader.read_addresses() is None


def test_a_killed_platform_leaves_neither_lock_nor_addresses(tmp_path: Path) -> None:
    """After a kill of the platform the operating system releases the lock, and the dead platform's addresses are
    ignored.
    """
    home = Home(tmp_path)
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        running = home.read_addresses()
        assert running is not None
        assert running.pid == holder.pid
        with pytest.raises(AlreadyRunning) as refused, home.lock():
            raise AssertionError
        assert refused.value.pid == holder.pid
        holder.kill()
    assert home.read_addresses() is None
    with home.lock():
        assert home.read_addresses() is None


def test_a_reader_does_not_take_the_lock(tmp_path: Path) -> None:
    """Checking if a platform runs leaves the lock free."""
    home = Home(tmp_path)
    with home.lock():
        pass
    assert home.read_addresses() is None
    with home.lock():
        home.write_addresses(ADDRESSES)


def test_a_failure_releases_the_lock(tmp_path: Path) -> None:
    """An error while the lock is held releases it, so that the next start succeeds."""
    home = Home(tmp_path)
    with pytest.raises(ValueError, match="inside"), home.lock():
        raise ValueError("inside")
    with home.lock():
        assert home.read_addresses() is None


def test_the_data_directory_is_private(tmp_path: Path) -> None:
    """Only the owner can read the files and folders of the data directory."""
    home = Home(tmp_path / "deep" / "home")
    with home.lock():
        home.write_addresses(ADDRESSES)
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (home.path, *home.path.iterdir())}
    assert modes == {"home": 0o700, "lock": 0o600, "addresses.json": 0o600}


@pytest.mark.parametrize("below", ["", "below"], ids=["a file", "below a file"])
def test_a_path_that_is_no_directory_is_refused_in_one_line(tmp_path: Path, below: str) -> None:
    """A path that is not a directory is refused with one line that has the path and the reason."""
    (tmp_path / "file").write_text("")
    with pytest.raises(HomeUnusable, match=r"(?i)file.* not a directory") as refused:
        Home(tmp_path / "file" / below)
    assert "\n" not in str(refused.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_write_permission_is_refused(tmp_path: Path) -> None:
    """A directory without write permission is refused before anything starts."""
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(HomeUnusable, match="not writable"):
        Home(tmp_path / "closed")


def test_a_read_only_file_system_is_refused_in_one_line() -> None:
    """A directory on a read-only file system is refused in one line. The test uses /proc, where not even root can
    create one.
    """
    with pytest.raises(HomeUnusable, match="/proc/nemuri cannot be created: "):
        Home(Path("/proc/nemuri"))


def test_damaged_addresses_of_a_running_platform_are_reported(tmp_path: Path) -> None:
    """Damaged addresses of a running platform are an error, because the platform writes its addresses atomically."""
    home = Home(tmp_path)
    with home.lock():
        (tmp_path / "addresses.json").write_text("{")
        with pytest.raises(HomeUnusable, match="damaged"):
            home.read_addresses()


def test_the_default_is_the_users_own_data_directory() -> None:
    """The default data directory is in the operating system's folder for the user's data and has the project's name."""
    assert default_path().name == "nemuri"
    assert default_path().is_absolute()
