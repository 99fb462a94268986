"""The data directory of a platform. It contains a lock and the addresses of the platform's servers."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import platformdirs
from pydantic import BaseModel, ConfigDict, ValidationError

from nemuri_infra.process.private_files import write_private

if sys.platform != "win32":  # There no platform runs, and clients need an address; so nothing is ever locked.
    import fcntl

LOCK_ATTEMPTS = 25
LOCK_POLL_SECONDS = 0.01


class HomeUnusable(RuntimeError):  # noqa: N818 - states a condition
    """The path cannot be a data directory. The message is one line that says why."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that holds the lock of a data directory."""

    pid: int | None
    """Pid of the process; None if the process has not written it to the lock file yet."""
    work: str | None = None
    """Description of the work of the process if it has a server of its own but is no platform; None for a platform."""

    def __str__(self) -> str:
        """Return a description of the process for messages."""
        return f"process {self.pid}" if self.pid is not None else "another process"


class AlreadyRunning(RuntimeError):  # noqa: N818 - states a condition
    """Another process holds the lock of this directory: a platform, or other work on a server of its own."""

    def __init__(self, path: Path, holder: Holder) -> None:
        if holder.work is None:
            super().__init__(f"nemuri already runs in {path} ({holder})")
        else:
            super().__init__(
                f"{holder.work} runs in {path} ({holder}) on a server of its own, without a platform: end it first; "
                "while `nemuri up` runs, it has the platform's server"
            )
        self.pid = holder.pid


class Addresses(BaseModel):
    """The addresses of a running platform."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    nats_url: str
    database_url: str
    pid: int
    """Pid of the platform's process, not of one of its servers."""


def default_path() -> Path:
    """Return the default data directory, in the system's directory for user data."""
    return platformdirs.user_data_path("nemuri", appauthor=False)


class Home:
    """A data directory. The constructor creates it with mode 0700 if it does not exist.

    Raises HomeUnusable if the directory cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().absolute()
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except FileExistsError as error:
            raise HomeUnusable(f"{self.path} is not a directory") from error
        except OSError as error:
            raise HomeUnusable(f"{self.path} cannot be created: {error.strerror}") from error
        if not os.access(self.path, os.R_OK | os.W_OK | os.X_OK):
            raise HomeUnusable(f"{self.path} is not writable by this user")
        self._lock = self.path / "lock"
        self._addresses = self.path / "addresses.json"

    @classmethod
    def existing(cls, path: Path) -> Self | None:
        """Return the data directory if it exists; None otherwise. Creates nothing."""
        return cls(path) if path.expanduser().exists() else None

    @property
    def nats(self) -> Path:
        """Return the directory of the embedded nats-server."""
        return self.path / "nats"

    @property
    def postgres(self) -> Path:
        """Return the directory of the embedded PostgreSQL."""
        return self.path / "postgres"

    @property
    def workers(self) -> Path:
        """Return the directory of the workers' logs and pid files."""
        return self.path / "workers"

    @property
    def lock_file(self) -> Path:
        """Return the path of the lock. The process that holds it has the file open."""
        return self._lock

    @property
    def is_locked(self) -> bool:
        """Return whether a process holds the lock."""
        return self._is_locked()

    @property
    def holder(self) -> Holder | None:
        """Return the process that holds the lock; None if there is none."""
        if not self._is_locked():
            return None
        descriptor = self._open(self._lock, os.O_RDONLY)
        try:
            return _holder_in(descriptor)
        finally:
            os.close(descriptor)

    @contextmanager
    def lock(self, work: str | None = None) -> Iterator[None]:
        """Hold the lock of this directory during the context, for a platform, or for other work on a server of its own.

        `work` describes that work in one line of ASCII, at most 200 characters.

        Raises AlreadyRunning if another process holds it. The operating system releases the lock if its holder dies.
        The addresses of the platform are deleted at the beginning and at the end.
        """
        descriptor = self._open(self._lock, os.O_RDWR | os.O_CREAT)
        try:
            if not _try_lock(descriptor, fcntl.LOCK_EX, LOCK_ATTEMPTS):
                raise AlreadyRunning(self.path, _holder_in(descriptor))
            self._addresses.unlink(missing_ok=True)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n{work or ''}\n".encode(), 0)
            try:
                yield
            finally:
                self._addresses.unlink(missing_ok=True)
                os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)

    def write_addresses(self, addresses: Addresses) -> None:
        """Write the addresses atomically. Only the owner can read the file. The caller must hold the lock."""
        try:
            write_private(self._addresses, addresses.model_dump_json())
        except OSError as error:
            raise HomeUnusable(f"{self._addresses} cannot be written: {error.strerror}") from error

    def read_addresses(self) -> Addresses | None:
        """Return the addresses of the running platform; None if no platform runs or it is not ready yet.

        Raises HomeUnusable if the file of a running platform is damaged or cannot be read.
        """
        if not self._is_locked():
            return None
        try:
            return Addresses.model_validate_json(self._addresses.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            raise HomeUnusable(f"{self._addresses} is damaged; restart the platform") from error
        except OSError as error:
            raise HomeUnusable(f"{self._addresses} cannot be read: {error.strerror}") from error

    def _is_locked(self) -> bool:
        if not self._lock.exists():
            return False
        descriptor = self._open(self._lock, os.O_RDONLY)
        try:
            return not _try_lock(descriptor, fcntl.LOCK_SH, attempts=1)
        finally:
            os.close(descriptor)

    def _open(self, path: Path, flags: int) -> int:
        try:
            return os.open(path, flags, 0o600)
        except OSError as error:
            raise HomeUnusable(f"{path} cannot be opened: {error.strerror}") from error


def _try_lock(descriptor: int, kind: int, attempts: int) -> bool:
    """Try to take the lock, and return whether it was taken within `attempts` attempts.

    Several attempts are needed, because a reader that checks for a holder takes the lock for an instant.
    """
    for attempt in range(attempts):
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if attempt + 1 < attempts:
                time.sleep(LOCK_POLL_SECONDS)
        else:
            return True
    return False


def _holder_in(descriptor: int) -> Holder:
    pid, _, rest = os.pread(descriptor, 256, 0).decode("ascii", errors="replace").partition("\n")
    work = rest.partition("\n")[0]
    return Holder(int(pid) if pid.isdigit() else None, work or None)
