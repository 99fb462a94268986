"""The OS user that PostgreSQL runs as when the platform runs as root, and what that user must be able to reach."""

import os
import pwd
import stat
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

DATABASE_USER = "nemuri-postgres"
CREATE_SECONDS = 20.0


class AccountUnavailable(RuntimeError):  # noqa: N818 - said as the fact that it is
    """We are root and there is no OS user to run PostgreSQL as."""


class Account(NamedTuple):
    """An OS user by numbers."""

    uid: int
    gid: int


def database_account(data: Path) -> Account | None:
    """Who runs the PostgreSQL of the directory `data`: None means ourselves, which root must not.

    As root it is the owner of existing data, else the user `nemuri-postgres`, created if need be.
    Raises AccountUnavailable if it cannot be created.
    """
    if os.geteuid() != 0:
        return None
    if data.exists() and (owner := data.stat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    deadline = time.monotonic() + CREATE_SECONDS
    while (account := _lookup(DATABASE_USER)) is None:
        problem = _create(DATABASE_USER)
        if problem and _lookup(DATABASE_USER) is None and time.monotonic() > deadline:
            raise AccountUnavailable(f"it must not run as root, and {DATABASE_USER} cannot be created: {problem}")
        time.sleep(0.1 if problem else 0)
    return account


def _lookup(name: str) -> Account | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(entry.pw_uid, entry.pw_gid)


def _create(name: str) -> str:
    """What went wrong, or nothing. Two platforms may try at once: the second finds the password file locked."""
    command = ["useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - fixed words
    except FileNotFoundError:
        return "there is no useradd"
    return "" if done.returncode == 0 else done.stderr.strip() or f"useradd ended with {done.returncode}"


def open_way(path: Path) -> None:
    """Let every OS user pass through the folders above `path`: the right to search them, not to list them."""
    for folder in path.parents:
        _add(folder, stat.S_IXGRP | stat.S_IXOTH)


def open_programs(root: Path, probe: Path) -> None:
    """Let every OS user read and run an installed tree; looks at `probe` to see whether it has to be done at all."""
    open_way(root)
    if probe.stat().st_mode & stat.S_IROTH and root.stat().st_mode & stat.S_IXOTH:
        return
    for path in (root, *root.rglob("*")):
        runs = path.is_dir() or bool(path.stat().st_mode & stat.S_IXUSR)
        _add(path, stat.S_IRGRP | stat.S_IROTH | (stat.S_IXGRP | stat.S_IXOTH if runs else 0))


def _add(path: Path, bits: int) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & bits != bits:
        path.chmod(mode | bits)
