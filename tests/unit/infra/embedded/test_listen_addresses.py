"""Tests of the choice of ports and socket directories."""

import socket
import stat
from pathlib import Path

import pytest

from nemuri_infra.embedded.listen_addresses import PORTS, free_port, is_free, socket_directory


def test_a_listening_port_is_in_use_and_a_closed_one_is_free() -> None:
    """A port on which a server listens is reported as in use, and a closed one as free."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert not is_free(port)
    assert is_free(port)


def test_ports_are_outside_the_ephemeral_range() -> None:
    """Chosen ports are outside the ephemeral range, so that no client can get the port while its server restarts."""
    assert free_port() in PORTS
    assert PORTS.stop <= 32_768


def test_a_short_path_contains_its_own_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The socket is in the data directory if the path of that is short enough."""
    monkeypatch.chdir(tmp_path)
    assert socket_directory(Path(), "s", None) == Path("run")
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700


def test_a_recorded_directory_that_is_not_private_is_not_used(tmp_path: Path) -> None:
    """A recorded socket directory is not used if it is not private, because another user may have replaced it."""
    home = tmp_path / ("long" * 30)
    home.mkdir()
    first = socket_directory(home, "s", None)
    assert socket_directory(home, "s", None) == first
    first.chmod(0o755)
    second = socket_directory(home, "s", None)
    assert second != first
    assert stat.S_IMODE(second.stat().st_mode) == 0o700
    first.rmdir()
    assert socket_directory(home, "s", None) == second
    second.rmdir()
    second.symlink_to(tmp_path)
    third = socket_directory(home, "s", None)
    assert third not in (first, second)
    second.unlink()
    third.rmdir()


def test_a_socket_directory_open_to_others_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket directory that other users may enter raises `PermissionError`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir(mode=0o755)
    with pytest.raises(PermissionError, match="only its owner"):
        socket_directory(Path(), "s", None)
