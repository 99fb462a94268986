"""A switch that keeps tests from calling a provider over the network."""

import ipaddress
from typing import Final
from urllib.parse import urlsplit

ALLOW_MODEL_CALLS = True
"""Whether calls may leave this machine. Tests set it to False (`guard.ALLOW_MODEL_CALLS = False`); then only servers on
loopback are called.
"""

_LOCAL_NAMES: Final = frozenset({"localhost", "localhost."})


class ModelCallsForbidden(RuntimeError):  # noqa: N818 - states a condition
    """A call would have left this machine while `ALLOW_MODEL_CALLS` is False. No fallback catches it."""


def require_allowed(base_url: str) -> None:
    """Raise `ModelCallsForbidden` if calls are switched off and the URL's host is not loopback."""
    if not ALLOW_MODEL_CALLS and not is_loopback(base_url):
        raise ModelCallsForbidden(
            f"calls to models are switched off, and {urlsplit(base_url).hostname} is not loopback"
        )


def is_loopback(base_url: str) -> bool:
    """Return whether the URL's host is this machine: localhost, 127.0.0.0/8 or ::1. Names are not resolved."""
    host = urlsplit(base_url).hostname or ""
    if host in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
