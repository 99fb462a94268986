"""Ports and socket directories."""

import socket
import stat
from pathlib import Path

import pytest

from nemuri_infra.embedded.listen_addresses import PORTS, free_port, is_free, socket_directory


def test_a_listening_port_is_not_free_and_a_closed_one_is() -> None:
    """As a server would find it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert not is_free(port)
    assert is_free(port)


def test_ports_are_chosen_outside_the_range_of_outgoing_connections() -> None:
    """So that no client takes the port while its server restarts."""
    assert free_port() in PORTS
    assert PORTS.stop <= 32_768


def test_a_short_path_holds_its_own_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything of a platform lies in one place where that is possible."""
    monkeypatch.chdir(tmp_path)
    assert socket_directory(Path(), "s", None) == Path("run")
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700


def test_a_remembered_directory_that_is_no_longer_private_is_not_used(tmp_path: Path) -> None:
    """In a shared temporary directory anybody could have put another one in its place."""
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


def test_its_own_directory_is_refused_if_others_may_enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opened it should know."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir(mode=0o755)
    with pytest.raises(PermissionError, match="only its owner"):
        socket_directory(Path(), "s", None)
