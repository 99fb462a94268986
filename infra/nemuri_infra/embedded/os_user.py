"""The OS user that runs PostgreSQL if the platform runs as root, and this user's access to the files that it needs.

The permissions of the folders above PostgreSQL's data are not changed.
"""

import fcntl
import os
import pwd
import shutil
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

DATABASE_USER = "nemuri-postgres"
LOCK_FILE = Path("/run/nemuri-postgres.lock")
"""Lock file in a folder of root, in which nobody else can place a symlink."""
COPIES_FOLDER = Path("/var/lib/nemuri-postgres")
"""Folder in which root keeps copies of PostgreSQL's programs that every OS user can run."""


class AccountUnavailable(RuntimeError):  # noqa: N818 - states a condition
    """The platform runs as root, and the OS user for PostgreSQL cannot be created."""


class Account(NamedTuple):
    """An OS user by its numeric ids."""

    uid: int
    gid: int


def database_account(data: Path) -> Account | None:
    """Return the OS user that must run PostgreSQL on the directory `data`; None for the present user.

    None is returned unless the present user is root. For root it is the owner of existing data. Without data, or if
    root owns them, it is the user `nemuri-postgres`, which is created if needed. Raises AccountUnavailable if it cannot
    be created.
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
        raise AccountUnavailable(f"it must not run as root, and {DATABASE_USER} does not exist after its creation")
    return account


def hand_over(account: Account, *folders: Path) -> None:
    """Give to `account` each existing folder that belongs to root, with everything in it.

    Data that root copied, as when files are restored, belong to root, and PostgreSQL serves its own files only. The
    folder itself is given last, so an interrupted call is repeated.
    """
    for folder in folders:
        if folder.is_dir() and folder.lstat().st_uid == 0:
            for path in (*folder.rglob("*"), folder):
                os.chown(path, *account, follow_symlinks=False)


@contextmanager
def _alone() -> Iterator[None]:
    """Wait for a lock that all platforms of the machine share, and hold it during the context.

    Without it two concurrent calls of useradd could both succeed, and the second would give the user another number.
    """
    with LOCK_FILE.open("w") as file:
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


@contextmanager
def entrances(*folders: Path, account: Account | None) -> Iterator[tuple[list[str], list[int]]]:
    """Yield paths by which a child process of `account` can reach our folders, and the file descriptors that it must
    inherit.

    The account may not enter the folders above ours, and their permissions are not changed. So each path leads through
    an open descriptor and starts at the folder itself. If `account` is None, the folders' own paths are yielded.
    """
    if account is None:
        yield [str(folder) for folder in folders], []
        return
    descriptors = list[int]()
    try:
        descriptors += [os.open(folder, os.O_RDONLY | os.O_DIRECTORY) for folder in folders]
        yield [f"/proc/self/fd/{descriptor}" for descriptor in descriptors], descriptors
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def reachable_programs(root: Path, programs: Path, libraries: Path) -> Path:
    """Return the folder `programs`, which is below `root`, or a copy of it that every OS user can run.

    The folder itself is returned if everybody can enter all folders above it. Otherwise it is copied below `/var/lib`
    once per machine. `libraries` is copied too, because the programs find it by a relative path.
    """
    if _is_open(programs / "bin") and _is_open(libraries):
        return programs
    copied = COPIES_FOLDER / _fingerprint(programs, libraries)
    with _alone():
        if not copied.exists():
            _copy(root, copied, programs.relative_to(root), libraries.relative_to(root))
    return copied / programs.relative_to(root)


def _is_open(folder: Path) -> bool:
    """Return whether everybody can enter the folder and all folders above it, and read the files in the folder."""
    passable = all(path.stat().st_mode & stat.S_IXOTH for path in (folder, *folder.parents))
    return passable and all(path.stat().st_mode & stat.S_IROTH for path in (folder, *folder.iterdir()))


def _fingerprint(*folders: Path) -> str:
    """Return a fingerprint of the files in these folders, from their names and sizes."""
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    listed = "\n".join(f"{file.name} {file.stat().st_size}" for file in files)
    return sha256(listed.encode()).hexdigest()[:16]


def _copy(root: Path, to: Path, *parts: Path) -> None:
    """Copy the folders `parts`, which are below `root`, to `to` atomically. Everybody can read the copy.

    An interrupted copy is deleted first.
    """
    to.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    fresh = to.with_name(f"{to.name}.new")
    if fresh.exists():
        shutil.rmtree(fresh)
    fresh.mkdir()
    for part in parts:
        shutil.copytree(root / part, fresh / part, symlinks=True)
    for path in (to.parent, fresh, *fresh.rglob("*")):
        if not path.is_symlink():
            runs = path.is_dir() or bool(path.stat().st_mode & stat.S_IXUSR)
            path.chmod(0o755 if runs else 0o644)
    fresh.rename(to)
