"""The definition of the service, and the interface of the programs that manage services."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol
from unicodedata import category

MARK: Final = "Written by `nemuri service install`; `nemuri service uninstall` removes it."
"""Comment in a service file, by which it is recognised as ours."""
RESTART_SECONDS: Final = 10
"""Seconds between a failure of the platform and its next start."""
STOP_SECONDS: Final = 120
"""Seconds that a platform has to stop. PostgreSQL alone has a minute, and then it is killed."""
REFUSED_CATEGORIES: Final = frozenset({"Cc", "Cs"})
"""Categories of characters that a service file cannot hold: control characters, and bytes that are not UTF-8."""
NO_CHARACTERS: Final = "\ufffe\uffff"
"""Code points that XML does not allow."""
Command = tuple[str, ...]


class ServiceError(Exception):
    """The service cannot be installed, started or removed. The message is one line."""


@dataclass(frozen=True, slots=True)
class ServiceDefinition:
    """The service: a platform that serves one data directory."""

    program: tuple[str, ...]
    """Words that start this installation of the program from any directory."""
    data: Path
    """Absolute path of the data directory."""
    window: bool = False
    """True if the window, the HTTP API and MCP over HTTP are served too."""

    def __post_init__(self) -> None:
        """Raise `ServiceError` if a path cannot be written in a service file."""
        for word in self.command:
            if any(category(character) in REFUSED_CATEGORIES or character in NO_CHARACTERS for character in word):
                raise ServiceError(f"{word!a} has a character that a service file cannot hold")

    @property
    def environment_file(self) -> Path:
        """Return the path of the file with the settings of the service. The user may edit it."""
        return self.data / "service.env"

    @property
    def log_file(self) -> Path:
        """Return the path of the log, for managers without a log of their own."""
        return self.data / "service.log"

    @property
    def command(self) -> Command:
        """Return the words that run the platform."""
        settings = ("--env-file", str(self.environment_file))
        window = ("--window",) if self.window else ("--no-window",)
        return (*self.program, "--data", str(self.data), "up", *window, *settings)


class ServiceManager(Protocol):
    """A program of the operating system that starts services, and where it finds their files."""

    @property
    def name(self) -> str:
        """Return the name of the manager."""

    @property
    def path(self) -> Path:
        """Return the path of the service file."""

    @property
    def enabling_links(self) -> Sequence[Path]:
        """Return the links by which the manager has enabled the service."""

    @property
    def query(self) -> Command:
        """Return the command that tells the state of the service."""

    def content(self, definition: ServiceDefinition) -> str:
        """Return the content of the service file."""

    def serves(self, content: str, data: Path) -> bool:
        """Return whether a service file with this content runs the platform of a data directory."""

    def state(self, output: str, code: int) -> str:
        """Return the state of the service, in a word, from the output and the exit code of `query`."""

    def start_commands(self, *, changed: bool, active: bool) -> Sequence[Command]:
        """Return the commands that enable and start the service, as long as its user is logged in.

        `changed` says whether the service file has changed, and `active` whether the service runs.
        """

    @property
    def without_login(self) -> Sequence[Command]:
        """Return the commands that let the service run while its user is not logged in, if it may not yet."""

    def stop_commands(self, *, active: bool) -> Sequence[Command]:
        """Return the commands that stop and disable the service, to be run before its file is removed."""

    def after_removal(self, *, failed: bool) -> Sequence[Command]:
        """Return the commands to be run after the file is removed. `failed` says whether the service had failed."""
