"""The service as a systemd unit."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from pwd import getpwuid
from typing import Final

from nemuri.system_service.definition import (
    MARK,
    RESTART_SECONDS,
    STOP_SECONDS,
    Command,
    ServiceDefinition,
    ServiceError,
)

UNIT: Final = "nemuri.service"
SYSTEM_UNITS: Final = Path("/etc/systemd/system")
LINGERING: Final = Path("/var/lib/systemd/linger")
"""Directory with an empty file for each user whose units run while the user is not logged in."""
WRONG_USE: Final = 2
"""Exit code after wrong settings or arguments. Another start would end in the same way."""


@dataclass(frozen=True, slots=True)
class SystemdUnit:
    """A systemd unit: of the user, or of the system, which then runs it as root."""

    system: bool = False
    name: str = "systemd"

    @property
    def path(self) -> Path:
        """Return the path of the unit: in the user's configuration (`XDG_CONFIG_HOME`), or in /etc."""
        if self.system:
            return SYSTEM_UNITS / UNIT
        named = os.environ.get("XDG_CONFIG_HOME", "")
        folder = Path(named) if Path(named).is_absolute() else Path.home() / ".config"
        return folder / "systemd" / "user" / UNIT

    @property
    def enabling_links(self) -> Sequence[Path]:
        """Return the link in the directory of the target that starts the unit."""
        return (self.path.parent / f"{self._target}.wants" / UNIT,)

    @property
    def query(self) -> Command:
        """Return the command that prints the state."""
        return (*self._systemctl, "is-active", UNIT)

    def content(self, definition: ServiceDefinition) -> str:
        """Return the content of the unit.

        The platform stops its servers itself (`KillMode=mixed`), and starts one again that was killed (`OOMPolicy`).
        """
        account = "User=root\n" if self.system else ""  # with a user systemd sets HOME
        return f"""\
# {MARK}
[Unit]
Description=Nemuri, agents that remember
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart={_words(definition.command)}
{account}Restart=on-failure
RestartSec={RESTART_SECONDS}
RestartPreventExitStatus={WRONG_USE}
KillMode=mixed
OOMPolicy=continue
TimeoutStopSec={STOP_SECONDS}

[Install]
WantedBy={self._target}
"""

    def serves(self, content: str, data: Path) -> bool:
        """Return whether a unit names the data directory."""
        return f" {_arguments(('--data', str(data)))} " in content

    def state(self, output: str, code: int) -> str:
        """Return the word that `systemctl is-active` printed."""
        return output.strip() or ("active" if code == 0 else "unknown")

    def start_commands(self, *, changed: bool, active: bool) -> Sequence[Command]:
        """Return the commands that enable and start the unit."""
        reload, enable = (*self._systemctl, "daemon-reload"), (*self._systemctl, "enable", "--now", UNIT)
        restart = [(*self._systemctl, "restart", UNIT)] if changed and active else []
        return [reload, enable, *restart]

    @property
    def without_login(self) -> Sequence[Command]:
        """Return the command that lets systemd run units of a user who is not logged in."""
        return [] if self.system or _lingers() else [("loginctl", "enable-linger")]

    def stop_commands(self, *, active: bool) -> Sequence[Command]:  # noqa: ARG002 - a unit that waits is disabled too
        """Return the command that stops and disables the unit."""
        return [(*self._systemctl, "disable", "--now", UNIT)]

    def after_removal(self, *, failed: bool) -> Sequence[Command]:
        """Return the commands that make systemd forget the removed unit, and its failure."""
        reset = [(*self._systemctl, "reset-failed", UNIT)] if failed else []
        return [(*self._systemctl, "daemon-reload"), *reset]

    @property
    def _systemctl(self) -> Command:
        return ("systemctl",) if self.system else ("systemctl", "--user")

    @property
    def _target(self) -> str:
        return "multi-user.target" if self.system else "default.target"


def _lingers() -> bool:
    """Return whether this user's units run already while the user is not logged in."""
    try:
        return (LINGERING / getpwuid(os.getuid()).pw_name).exists()
    except KeyError:
        return False  # a user without a name


def _words(command: Command) -> str:
    """Return a command as systemd reads it.

    In every word systemd replaces `%` sequences and reads escapes. In every word but the first it replaces variables
    too. It refuses a program whose path contains quotes or backslashes; then `ServiceError` is raised.
    """
    program, *rest = command
    if refused := set(program) & set("\"'\\"):
        raise ServiceError(f"systemd cannot start {program}, because its path contains {min(refused)}")
    return f"{_quoted(program)} {_arguments(rest)}"


def _arguments(words: Iterable[str]) -> str:
    return " ".join(_quoted(word).replace("$", "$$") for word in words)


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'
