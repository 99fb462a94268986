"""Listen addresses of servers: free loopback ports, and a private directory for a Unix socket."""

import os
import random
import re
import socket
import stat
import tempfile
from pathlib import Path

from nemuri_infra.embedded.os_user import Account

LOOPBACK = "127.0.0.1"
PORTS = range(15_000, 32_000)
"""Ports for servers, below the range of ports that the system gives to outgoing connections.

A client could take a port of that range while its server restarts, or even connect to itself.
"""
SOCKET_BYTES = 100
SAFE_PATH = re.compile(r"[A-Za-z0-9_./-]+")
"""Pattern of paths without characters that are special in URLs or in PostgreSQL's list of socket directories."""


def is_free(port: int) -> bool:
    """Return whether a server could listen on this port of 127.0.0.1 now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """Return a random port of 127.0.0.1 that was free a moment ago. Raises OSError if none is found.

    If another process takes the port first, the caller must call again.
    """
    for port in random.sample(PORTS, 500):
        if is_free(port):
            return port
    raise OSError("there is no free port on 127.0.0.1")


def socket_directory(home: Path, socket_name: str, owner: Account | None) -> Path:
    """Return a directory with mode 0700 for one socket. It belongs to `owner`, or to the present user if `owner` is
    None.

    It is `home/run`, or a new temporary directory if that path is too long or contains special characters. The path of
    the temporary directory is stored in `home`. The directory is used again if only its owner can still enter it.
    """
    inside, note = home / "run", home / "socket_directory"
    if len(os.fsencode(inside / socket_name)) <= SOCKET_BYTES and SAFE_PATH.fullmatch(str(inside)):
        return _private(inside, owner) or _refuse(inside)
    remembered = Path(note.read_text(encoding="utf-8")) if note.exists() else None
    if remembered and (usable := _private(remembered, owner)):
        return usable
    fresh = Path(tempfile.mkdtemp(prefix="nemuri-", dir=_short_temporary(socket_name)))
    if owner:
        os.chown(fresh, *owner)
    note.write_text(str(fresh), encoding="utf-8")
    return fresh


def _short_temporary(socket_name: str) -> Path:
    """Return the system's temporary directory, or /tmp if its path is too long or contains special characters."""
    usual = Path(tempfile.gettempdir())
    length = len(os.fsencode(usual / "nemuri-12345678" / socket_name))
    return usual if length <= SOCKET_BYTES and SAFE_PATH.fullmatch(str(usual)) else Path("/tmp")  # noqa: S108 - mkdtemp


def _private(path: Path, owner: Account | None) -> Path | None:
    """Create the directory if needed and return it; None if it belongs to another user or others may access it."""
    try:
        path.mkdir(mode=0o700)
        if owner:
            os.chown(path, *owner)
    except FileExistsError:
        pass
    found = path.lstat()
    mine = found.st_uid == (owner.uid if owner else os.geteuid())
    return path if mine and stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077 else None


def _refuse(path: Path) -> Path:
    raise PermissionError(f"{path} must be a directory that only its owner may enter")
