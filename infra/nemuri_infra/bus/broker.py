"""FastStream over our own connection; apart from it, for a client needs no FastStream."""

from collections.abc import Awaitable, Callable
from typing import Any

from faststream._internal.endpoint.call_wrapper import HandlerCallWrapper
from faststream.nats import NatsBroker
from faststream.nats.annotations import NatsMessage
from nats.aio.client import Client as Nats

from nemuri_infra.bus.connection import Connection

Handle = Callable[[NatsMessage], Awaitable[Any]]


class Broker(NatsBroker):
    """FastStream over such a connection."""

    async def _connect(self) -> Nats:
        connection = Connection()
        await connection.connect(**self._connection_kwargs)
        self.config.connect(connection)
        return connection


class Handler(HandlerCallWrapper[[NatsMessage], Awaitable[Any]]):
    """A function that is handed the message itself, whatever it says.

    For every subscriber FastStream would make a model of the function's arguments and a mock that records its calls in
    tests, which was a third of what starting the services costs. Nothing here is injected, and nothing is mocked.
    """

    def __init__(self, handle: Handle) -> None:
        self._declared_call = self._composed_call = handle
        self._wrapped_call = handle
        self._publishers = []
        self._subscribers = []
        self.future = None
        self.is_test = False

    def set_wrapped(self, **_: Any) -> None:  # type: ignore[override]
        """Nothing is to be built."""
