"""A switch that keeps tests from calling a provider over the network."""

import ipaddress
import os
from typing import Final
from urllib.parse import urlsplit

ALLOW_MODEL_CALLS = True
"""True if models on other machines may be called.

Tests set it to False (`network_guard.ALLOW_MODEL_CALLS = False`). Then only servers on loopback may be called.
"""

_LOCAL_NAMES: Final = frozenset({"localhost", "localhost."})


class ModelCallsForbidden(RuntimeError):  # noqa: N818 - states a condition
    """A model on another machine was called while `ALLOW_MODEL_CALLS` is False. No fallback catches this error."""


def require_allowed(base_url: str) -> None:
    """Raise `ModelCallsForbidden` if `ALLOW_MODEL_CALLS` is False and the URL's host is not loopback."""
    if not ALLOW_MODEL_CALLS and not is_loopback(base_url):
        raise ModelCallsForbidden(
            f"calls to models are switched off, and {urlsplit(base_url).hostname} is not loopback"
        )


def require_allowed_command(command: str) -> None:
    """Raise `ModelCallsForbidden` if `ALLOW_MODEL_CALLS` is False and the command is searched for in the PATH.

    Tests name their own commands by absolute paths.
    """
    if not ALLOW_MODEL_CALLS and not os.path.isabs(command):  # noqa: PTH117 - a command, not a path
        raise ModelCallsForbidden(f"calls to models are switched off, and {command!r} is one")


def is_loopback(base_url: str) -> bool:
    """Return whether the URL's host is this machine: localhost, 127.0.0.0/8 or ::1. Names are not resolved."""
    host = urlsplit(base_url).hostname or ""
    if host in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
