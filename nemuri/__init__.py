"""Nemuri: agents that remember by use and forget by sleeping."""

TYPE_CHECKING = False  # as type checkers read it; the module `typing` would cost a hook a tenth of its time
if TYPE_CHECKING:
    from nemuri.face.client import Client
    from nemuri.face.connection import connect
    from nemuri.face.exchange import CallTimeoutError, ClientError, NotConnectedError
    from nemuri.face.sync import SyncClient, connect_sync
    from nemuri.face.waiting import TaskTimeoutError

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
    "CallTimeoutError": "nemuri.face.exchange",
    "Client": "nemuri.face.client",
    "ClientError": "nemuri.face.exchange",
    "NotConnectedError": "nemuri.face.exchange",
    "SyncClient": "nemuri.face.sync",
    "TaskTimeoutError": "nemuri.face.waiting",
    "connect": "nemuri.face.connection",
    "connect_sync": "nemuri.face.sync",
}


def __getattr__(name: str) -> object:
    """Import what is asked for only now, so that the lower floors do not load the upper ones."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
