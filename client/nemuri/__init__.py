"""Nemuri: agents that remember by use and forget by sleeping."""

TYPE_CHECKING = (
    False  # Type checkers treat this name as true. Importing `typing` would cost a hook a tenth of its time.
)
if TYPE_CHECKING:
    from nemuri.client.client import Client
    from nemuri.client.connection import connect
    from nemuri.client.exchange import CallTimeoutError, ClientError, NotConnectedError
    from nemuri.client.sync import SyncClient, connect_sync
    from nemuri.client.task_waiting import TaskTimeoutError

__all__ = [
    "CallTimeoutError",
    "Client",
    "ClientError",
    "NotConnectedError",
    "SyncClient",
    "TaskTimeoutError",
    "connect",
    "connect_sync",
]

_HOMES = {
    "CallTimeoutError": "nemuri.client.exchange",
    "Client": "nemuri.client.client",
    "ClientError": "nemuri.client.exchange",
    "NotConnectedError": "nemuri.client.exchange",
    "SyncClient": "nemuri.client.sync",
    "TaskTimeoutError": "nemuri.client.task_waiting",
    "connect": "nemuri.client.connection",
    "connect_sync": "nemuri.client.sync",
}


def __getattr__(name: str) -> object:
    """Import a public name on first use, so that the hooks load only what they need."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
