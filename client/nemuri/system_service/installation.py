"""Installation and removal of the service: its file, its settings, and the commands of the service manager."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from nemuri.system_service.definition import MARK, Command, ServiceDefinition, ServiceError, ServiceManager
from nemuri.system_service.launchd import LaunchdAgent
from nemuri.system_service.systemd import SystemdUnit
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.process.environment_file import environment_text
from nemuri_infra.process.private_files import write_private
from nemuri_infra.runtime.setting_variables import platform_variables

COMMAND_SECONDS: Final = 300.0
"""Maximum number of seconds of a manager's command. It waits while a platform stops."""
UNKNOWN: Final = "unknown"
UNFINISHED: Final = frozenset({"active", "activating", "deactivating", "reloading"})
"""States in which the manager runs the service or starts it without being asked. A crashed service is stopped first."""
_HEADING = (
    "# Settings of the platform that runs as a service: NAME=VALUE in each line. They apply from its next start on.\n"
)
Change = Literal["written", "updated", "nothing changed"]


@dataclass(frozen=True, slots=True)
class Installed:
    """The result of an installation."""

    change: Change
    """The change of the service file."""
    carried: tuple[str, ...] | None
    """Names of the variables that were written to a new file of settings; None if the file existed and was kept."""


def manager_of(*, system: bool) -> ServiceManager:
    """Return the service manager of this operating system. Raises `ServiceError` if it has none that is known."""
    if sys.platform == "darwin":
        if system:
            raise ServiceError("--system is for Linux; on macOS the service is an agent of its user")
        return LaunchdAgent()
    if sys.platform != "linux":
        raise ServiceError(f"services are installed on Linux and macOS, not on {sys.platform}; run `nemuri up`")
    return SystemdUnit(system=system)


def is_ours(path: Path) -> bool | None:
    """Return whether a service file was written by this program; None if there is no file. Raises `OSError`."""
    if not path.exists() and not path.is_symlink():
        return None
    return MARK in path.read_text(encoding="utf-8", errors="replace")


def install(manager: ServiceManager, definition: ServiceDefinition, *, force: bool) -> Installed:
    """Write the service file and, if it does not exist, the file of settings.

    The settings are those of this process's environment. Raises `ServiceError` for a file that another program wrote,
    unless `force` is set, and the errors of files. Nothing is changed then.
    """
    path, content = manager.path, manager.content(definition)
    if is_ours(path) is False and not force:
        raise ServiceError(f"{path} was not written by nemuri; --force replaces it")
    before = path.read_text(encoding="utf-8", errors="replace") if path.exists() else None
    settings = None if definition.environment_file.exists() else platform_variables()
    text = _HEADING + environment_text(settings or {})
    Home(definition.data)  # creates the directory
    if settings is not None:
        write_private(definition.environment_file, text)
    try:
        if before != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_private(path, content)
    except OSError:
        if settings is not None:
            definition.environment_file.unlink()
        raise
    change: Change = "nothing changed" if before == content else "written" if before is None else "updated"
    return Installed(change, None if settings is None else tuple(settings))


def remove(manager: ServiceManager, tell: Callable[[str], None]) -> bool:
    """Stop and disable the service, remove its file, and return whether there was one.

    A command of the manager that fails is told and stops nothing, because a machine may have no running manager.
    Raises `ServiceError` for a file that another program wrote.
    """
    ours = is_ours(manager.path)
    if ours is None:
        return False
    if not ours:
        raise ServiceError(f"{manager.path} was not written by nemuri, so it stays")
    _try_commands(manager.stop_commands(active=is_active(manager)), tell)
    for path in (manager.path, *(link for link in manager.enabling_links if link.is_symlink())):
        path.unlink()
    _try_commands(manager.after_removal(failed=state_of(manager) == "failed"), tell)
    return True


def state_of(manager: ServiceManager) -> str:
    """Return the state of the service in a word; `unknown` if the manager is not installed or does not answer."""
    if shutil.which(manager.query[0]) is None:
        return UNKNOWN
    try:
        done = _run(manager.query)
    except ServiceError:
        return UNKNOWN
    return manager.state(done.stdout, done.returncode)


def is_active(manager: ServiceManager) -> bool:
    """Return whether the manager runs the service, or starts it again after a failure."""
    return state_of(manager) in {"active", "activating", "loaded", "reloading"}


def is_served(data: Path) -> bool:
    """Return whether a service runs the platform of a data directory, or starts it, now or again after a failure.

    Whoever starts another platform then takes the directory from the service, which fails from then on.
    """
    for system in (False, True):
        try:
            manager = manager_of(system=system)
            content = manager.path.read_text(encoding="utf-8")
        except (ServiceError, OSError, UnicodeError):
            continue
        if manager.serves(content, data) and state_of(manager) in UNFINISHED:
            return True
    return False


def require_program(manager: ServiceManager) -> None:
    """Raise `ServiceError` if the program that starts services is not installed."""
    if shutil.which(manager.query[0]) is None:
        raise ServiceError(f"there is no program {manager.query[0]}, so no service can be started; omit --start")


def run_commands(commands: Iterable[Command]) -> None:
    """Run commands of a service manager. Raises `ServiceError` at the first one that fails or does not exist."""
    for command in commands:
        if shutil.which(command[0]) is None:
            raise ServiceError(f"there is no program {command[0]}, so `{shlex.join(command)}` was not run")
        done = _run(command)
        if done.returncode:
            said = done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}"
            raise ServiceError(f"`{shlex.join(command)}` failed: {' '.join(said.split())}")


def _try_commands(commands: Iterable[Command], tell: Callable[[str], None]) -> None:
    for command in commands:
        try:
            run_commands([command])
        except ServiceError as error:
            tell(str(error))


def _run(command: Command) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 - commands of the manager without text of a user
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=COMMAND_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ServiceError(f"`{shlex.join(command)}` failed: {error}") from error
