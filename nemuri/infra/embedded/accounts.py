"""The OS user that PostgreSQL runs as when the platform runs as root, and what that user must be able to reach."""

import fcntl
import os
import pwd
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

DATABASE_USER = "nemuri-postgres"
LOCK = Path("/run/nemuri-postgres.lock")
"""Root's own folder: nobody else can lay a link there."""


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
    with _alone():
        if _lookup(DATABASE_USER) is None:
            _create(DATABASE_USER)
        account = _lookup(DATABASE_USER)
    if account is None:
        raise AccountUnavailable(f"it must not run as root, and {DATABASE_USER} is not there after its creation")
    return account


@contextmanager
def _alone() -> Iterator[None]:
    """One platform at a time: two useradd at once both succeed, and the second gives the user another number."""
    with LOCK.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _lookup(name: str) -> Account | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(entry.pw_uid, entry.pw_gid)


def _create(name: str) -> None:
    command = ["useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - fixed words
    except FileNotFoundError:
        raise AccountUnavailable(f"it must not run as root, and there is no useradd to create {name}") from None
    if done.returncode:
        problem = done.stderr.strip() or f"useradd ended with {done.returncode}"
        raise AccountUnavailable(f"it must not run as root, and {name} cannot be created: {problem}")


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
