"""Settings of the hooks of coding assistants, read with the standard library alone, because the full settings load
slowly.

They come from the same environment variables as `Settings`, and the running platform is found in the same way as by
`Home`.
"""

import json
import os
import shlex
import sys

from nemuri_contracts.wire_constants import is_identifier

if sys.platform != "win32":  # There are no hooks, and no platform that would hold a lock.
    import fcntl

AGENT = "assistant"
SWITCH = "NEMURI_HOOKS"
"""Environment variable that switches all hooks off with the value `off`. Calls of an assistant as a model set it."""
DEFAULT_PATIENCE = 1.0
MAX_PATIENCE = 60.0


class PlatformNotFound(Exception):  # noqa: N818 - states a condition
    """No platform runs, or a setting is invalid. The message is one line that says why."""


class HookSettings:
    """The settings that a hook needs to reach the platform."""

    __slots__ = (
        "agent", "client", "data", "namespace", "nats_ca", "nats_certificate", "nats_credentials", "nats_domain",
        "nats_key", "nats_nkey", "nats_url", "option", "patience",
    )  # fmt: skip

    def __init__(self, data: str | None = None, agent: str | None = None) -> None:
        """Read the settings from the environment.

        `data` and `agent` are options of the command line; if given, they replace the variables. Raises
        `PlatformNotFound` if a setting is invalid.
        """
        told = _environment()
        self.data = data_directory(data)
        self.option = f" --data {shlex.quote(self.data)}" if data else ""
        self.nats_url = told.get("nats_url")
        self.nats_ca = told.get("nemuri_nats_ca")
        self.nats_certificate = told.get("nemuri_nats_certificate")
        self.nats_key = told.get("nemuri_nats_key")
        self.nats_credentials = told.get("nemuri_nats_credentials")
        self.nats_nkey = told.get("nemuri_nats_nkey")
        self.nats_domain = told.get("nemuri_nats_domain")
        self.namespace = _valid_name("NEMURI_NAMESPACE", told.get("nemuri_namespace", "nemuri"))
        self.client = _valid_name("NEMURI_CLIENT", told["nemuri_client"]) if "nemuri_client" in told else None
        self.agent = _valid_name("the agent", agent or told.get("nemuri_hook_agent", AGENT))
        self.patience = _seconds("NEMURI_HOOK_PATIENCE", told.get("nemuri_hook_patience"))

    @property
    def is_running(self) -> bool:
        """Return whether a platform runs or starts: in the data directory, or where the environment says."""
        return self.nats_url is not None or _runs(self.data)

    @property
    def nats_address(self) -> str:
        """Return the address of the NATS server: from the environment, otherwise that of the running platform.

        Raises `PlatformNotFound` if no platform runs or it is not ready.
        """
        if self.nats_url is not None:
            return self.nats_url
        if not self.is_running:
            raise PlatformNotFound(f"no platform runs in {self.data}")
        try:
            with open(os.path.join(self.data, "addresses.json"), "rb") as file:  # noqa: PTH118, PTH123
                return str(json.load(file)["nats_url"])
        except FileNotFoundError as error:
            raise PlatformNotFound(f"the platform in {self.data} is not ready yet") from error
        except (ValueError, TypeError, KeyError) as error:
            raise PlatformNotFound(f"the addresses in {self.data} are damaged; restart the platform") from error


def data_directory(data: str | None = None) -> str:
    """Return the data directory: `data` if given, otherwise the one in the environment, otherwise the default."""
    chosen = data or _environment().get("nemuri_data") or _default()
    return os.path.join(os.getcwd(), os.path.expanduser(chosen))  # noqa: PTH109, PTH111, PTH118 - pathlib takes longer


def default_directory() -> str:
    """Return the default data directory."""
    return os.path.expanduser(_default())  # noqa: PTH111 - pathlib takes longer


def _environment() -> dict[str, str]:
    """Return the environment variables that are not empty, by their names in lower case."""
    return {name.lower(): value for name, value in os.environ.items() if value}


def _default() -> str:
    if sys.platform != "linux" or not os.path.isabs(os.environ.get("HOME", "")):  # noqa: PTH117
        import platformdirs

        return str(platformdirs.user_data_path("nemuri", appauthor=False))
    named = os.environ.get("XDG_DATA_HOME", "")
    return os.path.join(named if os.path.isabs(named) else "~/.local/share", "nemuri")  # noqa: PTH117, PTH118


def _valid_name(what: str, name: str) -> str:
    if not is_identifier(name):
        raise PlatformNotFound(f"{what} is not a name: use letters, digits, `_` and `-`, at most 64")
    return name


def _seconds(what: str, told: str | None) -> float:
    if told is None:
        return DEFAULT_PATIENCE
    try:
        value = float(told)
    except ValueError:
        value = 0.0
    if not 0 < value <= MAX_PATIENCE:
        raise PlatformNotFound(f"{what} is not a number of seconds above 0 and up to {MAX_PATIENCE:g}")
    return value


def _runs(data: str) -> bool:
    """Return whether a platform holds the lock of the directory.

    The operating system releases the lock even if the platform is killed.
    """
    try:
        descriptor = os.open(os.path.join(data, "lock"), os.O_RDONLY)  # noqa: PTH118
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
