"""The public names of Nemuri, a platform for LLM agents with a long-term memory."""

TYPE_CHECKING = (
    False  # Type checkers treat this name as true. Importing `typing` would take a tenth of the run time of a hook.
)
if TYPE_CHECKING:
    from nemuri.client.client import Client
    from nemuri.client.connection import connect
    from nemuri.client.exchange import CallTimeoutError, ClientError, NotConnectedError
    from nemuri.client.memory_offers import RefusedMemoriesError
    from nemuri.client.sync import SyncClient, connect_sync
    from nemuri.client.task_waiting import TaskTimeoutError
    from nemuri.platform.in_memory import in_memory

__all__ = [
    "CallTimeoutError",
    "Client",
    "ClientError",
    "NotConnectedError",
    "RefusedMemoriesError",
    "SyncClient",
    "TaskTimeoutError",
    "connect",
    "connect_sync",
    "in_memory",
]

_HOMES = {
    "CallTimeoutError": "nemuri.client.exchange",
    "Client": "nemuri.client.client",
    "ClientError": "nemuri.client.exchange",
    "NotConnectedError": "nemuri.client.exchange",
    "RefusedMemoriesError": "nemuri.client.memory_offers",
    "SyncClient": "nemuri.client.sync",
    "TaskTimeoutError": "nemuri.client.task_waiting",
    "connect": "nemuri.client.connection",
    "connect_sync": "nemuri.client.sync",
    "in_memory": "nemuri.platform.in_memory",
}


def __getattr__(name: str) -> object:
    """Import and return a public name when it is used. So a hook of a coding assistant loads only what it needs.

    Raises AttributeError for a name that is not public.
    """
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
