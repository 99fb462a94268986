"""The service as a launchd agent of a user on macOS."""

import os
import plistlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from xml.parsers.expat import ExpatError

from nemuri.system_service.definition import MARK, RESTART_SECONDS, STOP_SECONDS, Command, ServiceDefinition

LABEL: Final = "nemuri.platform"


@dataclass(frozen=True, slots=True)
class LaunchdAgent:
    """A launchd agent. It runs while its user is logged in."""

    user: int = field(default_factory=os.getuid)
    """Id of the user."""
    name: str = "launchd"

    @property
    def path(self) -> Path:
        """Return the path of the agent's property list."""
        return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"

    @property
    def enabling_links(self) -> Sequence[Path]:
        """Return an empty sequence: launchd starts every agent in its directory."""
        return ()

    @property
    def query(self) -> Command:
        """Return the command that prints the agent, and fails if launchd has not loaded it."""
        return ("launchctl", "print", self._target)

    def content(self, definition: ServiceDefinition) -> str:
        """Return the content of the property list. The agent is started again unless it ended with exit code 0."""
        log = str(definition.log_file)
        fields: dict[str, Any] = {
            "Label": LABEL,
            "ProgramArguments": list(definition.command),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": RESTART_SECONDS,
            "ExitTimeOut": STOP_SECONDS,
            "StandardOutPath": log,
            "StandardErrorPath": log,
        }
        text = plistlib.dumps(fields, sort_keys=False).decode()
        return text.replace("<plist ", f"<!-- {MARK} -->\n<plist ", 1)

    def serves(self, content: str, data: Path) -> bool:
        """Return whether a property list names the data directory."""
        try:
            words = plistlib.loads(content.encode())["ProgramArguments"]
        except (plistlib.InvalidFileException, ExpatError, KeyError, TypeError):
            return False
        return "--data" in words[:-1] and words[words.index("--data") + 1] == str(data)

    def state(self, output: str, code: int) -> str:
        """Return `active` if the agent runs, `loaded` if launchd waits to start it again, otherwise `inactive`."""
        if code != 0:
            return "inactive"
        return "active" if any(line.strip() == "state = running" for line in output.splitlines()) else "loaded"

    def start_commands(self, *, changed: bool, active: bool) -> Sequence[Command]:
        """Return the commands that load the agent. An agent that runs is loaded again if its file has changed."""
        load = ("launchctl", "bootstrap", self._domain, str(self.path))
        return ([("launchctl", "bootout", self._target), load] if changed else []) if active else [load]

    @property
    def without_login(self) -> Sequence[Command]:
        """Return an empty sequence: an agent ends with the session of its user."""
        return ()

    def stop_commands(self, *, active: bool) -> Sequence[Command]:
        """Return the command that stops the agent, if it is loaded."""
        return [("launchctl", "bootout", self._target)] if active else []

    def after_removal(self, *, failed: bool) -> Sequence[Command]:  # noqa: ARG002 - launchd keeps nothing
        """Return an empty sequence: launchd has forgotten the agent already."""
        return ()

    @property
    def _domain(self) -> str:
        return f"gui/{self.user}"

    @property
    def _target(self) -> str:
        return f"{self._domain}/{LABEL}"
