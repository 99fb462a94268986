"""The FastStream broker and the handler class of the services.

Clients do not import this module, so they do not need FastStream.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from faststream._internal.endpoint.call_wrapper import HandlerCallWrapper
from faststream.nats import NatsBroker
from faststream.nats.annotations import NatsMessage
from nats.aio.client import Client as Nats

from nemuri_infra.bus.connection import Connection

Handle = Callable[[NatsMessage], Awaitable[Any]]


class Broker(NatsBroker):
    """A FastStream broker that connects with `Connection`, so that malformed messages cannot stop it."""

    async def _connect(self) -> Nats:
        connection = Connection()
        await connection.connect(**self._connection_kwargs)
        self.config.connect(connection)
        return connection


class Handler(HandlerCallWrapper[[NatsMessage], Awaitable[Any]]):
    """A handler that gets the raw message, without validation.

    By default FastStream builds a model of the function's arguments and a recording mock for every subscriber. That
    took a third of the services' start time, and neither is used.
    """

    def __init__(self, handle: Handle) -> None:
        self._declared_call = self._composed_call = handle
        self._wrapped_call = handle
        self._publishers = []
        self._subscribers = []
        self.future = None
        self.is_test = False

    def set_wrapped(self, **_: Any) -> None:  # type: ignore[override]
        """Do nothing. FastStream would build the model and the mock here."""
