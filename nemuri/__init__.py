"""Nemuri: agents that remember by use and forget by sleeping."""

TYPE_CHECKING = False  # as type checkers read it; the module `typing` would cost a hook a tenth of its time
if TYPE_CHECKING:
    from nemuri.face.client import Client
    from nemuri.face.connection import connect
    from nemuri.face.sync import SyncClient, connect_sync

__all__ = ["Client", "SyncClient", "connect", "connect_sync"]

_HOMES = {
    "Client": "nemuri.face.client",
    "SyncClient": "nemuri.face.sync",
    "connect": "nemuri.face.connection",
    "connect_sync": "nemuri.face.sync",
}


def __getattr__(name: str) -> object:
    """Import what is asked for only now, so that the lower floors do not load the upper ones."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
