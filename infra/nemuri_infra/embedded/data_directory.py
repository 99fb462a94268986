"""The data directory of a platform: who runs in it, and where its servers listen."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import platformdirs
from pydantic import BaseModel, ConfigDict, ValidationError

from nemuri_infra.embedded.private_files import write_private

LOCK_ATTEMPTS = 25
LOCK_POLL_SECONDS = 0.01


class HomeUnusable(RuntimeError):  # noqa: N818 - said as the fact that it is
    """The path cannot be a data directory; the message is one line and says why."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who runs in a data directory."""

    pid: int | None
    """None where the process has not said so yet."""
    society: str | None = None
    """The society that runs on a server of its own; None for a platform."""

    def __str__(self) -> str:
        """Its process, for a message."""
        return f"process {self.pid}" if self.pid is not None else "another process"


class AlreadyRunning(RuntimeError):  # noqa: N818 - said as the fact that it is
    """Another platform, or a society on a server of its own, runs in this directory."""

    def __init__(self, path: Path, holder: Holder) -> None:
        if holder.society is None:
            super().__init__(f"nemuri already runs in {path} ({holder})")
        else:
            super().__init__(
                f"society {holder.society!r} runs in {path} ({holder}) on a server of its own, without a platform: end "
                "it first; while `nemuri up` runs, societies live on the platform's server"
            )
        self.pid = holder.pid


class Addresses(BaseModel):
    """Where a running platform is reached."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    nats_url: str
    database_url: str
    pid: int
    """Of the platform, not of a server."""


def default_path() -> Path:
    """Where the platform's data lives unless told otherwise: the user's data directory of the system."""
    return platformdirs.user_data_path("nemuri", appauthor=False)


class Home:
    """A data directory, made with mode 0700 if it is not there. Raises HomeUnusable if it cannot be used."""

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().absolute()
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except FileExistsError as error:
            raise HomeUnusable(f"{self.path} is not a directory") from error
        except OSError as error:
            raise HomeUnusable(f"{self.path} cannot be made: {error.strerror}") from error
        if not os.access(self.path, os.R_OK | os.W_OK | os.X_OK):
            raise HomeUnusable(f"{self.path} is not writable by this user")
        self._lock = self.path / "lock"
        self._addresses = self.path / "addresses.json"

    @classmethod
    def there(cls, path: Path) -> Self | None:
        """The data directory if it is there already; None, and nothing is made, if it is not."""
        return cls(path) if path.expanduser().exists() else None

    @property
    def nats(self) -> Path:
        """The directory of the embedded nats-server."""
        return self.path / "nats"

    @property
    def postgres(self) -> Path:
        """The directory of the embedded PostgreSQL."""
        return self.path / "postgres"

    @property
    def workers(self) -> Path:
        """The directory of the workers' logs and records."""
        return self.path / "workers"

    @property
    def taken(self) -> bool:
        """Whether somebody holds the lock."""
        return self._is_locked()

    @property
    def holder(self) -> Holder | None:
        """Who holds the lock, None where nobody does."""
        if not self._is_locked():
            return None
        descriptor = self._open(self._lock, os.O_RDONLY)
        try:
            return _holder_in(descriptor)
        finally:
            os.close(descriptor)

    @contextmanager
    def lock(self, society: str | None = None) -> Iterator[None]:
        """Be the one platform, or society, of this directory for the length of the block.

        Raises AlreadyRunning if there is one. The system frees the lock when its holder dies in any way. Addresses of
        earlier runs are forgotten.
        """
        descriptor = self._open(self._lock, os.O_RDWR | os.O_CREAT)
        try:
            if not _try_lock(descriptor, fcntl.LOCK_EX, LOCK_ATTEMPTS):
                raise AlreadyRunning(self.path, _holder_in(descriptor))
            self._addresses.unlink(missing_ok=True)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n{society or ''}\n".encode(), 0)
            try:
                yield
            finally:
                self._addresses.unlink(missing_ok=True)
                os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)

    def write_addresses(self, addresses: Addresses) -> None:
        """Publish the addresses in one step, readable by the owner alone. Only while holding the lock."""
        try:
            write_private(self._addresses, addresses.model_dump_json())
        except OSError as error:
            raise HomeUnusable(f"{self._addresses} cannot be written: {error.strerror}") from error

    def read_addresses(self) -> Addresses | None:
        """Where the platform of this directory is reached; None when none runs or it is not ready yet.

        Raises HomeUnusable when the file of a running platform is damaged or not ours to read.
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
    """Several attempts, because a reader that looks whether somebody runs holds the lock for an instant."""
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
    society = rest.partition("\n")[0]
    return Holder(int(pid) if pid.isdigit() else None, society or None)
