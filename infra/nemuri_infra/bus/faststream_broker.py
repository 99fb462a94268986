"""The FastStream broker of the services. Clients do not import this module, so they do not need FastStream."""

from collections.abc import Sequence
from typing import Any

from faststream.nats import NatsBroker
from nats.aio.client import Client as Nats

from nemuri_infra.bus.connection import Connection


class Broker(NatsBroker):
    """A FastStream broker that connects with `Connection`, so that malformed messages cannot stop it.

    The driver's own connection reads nothing more after malformed headers, until it is replaced twenty seconds later.
    FastStream takes no connection from its caller, so this implements the abstract method with which a broker connects.
    """

    def __init__(self, servers: Sequence[str], *, connection: dict[str, Any], **options: Any) -> None:
        """Create a broker. `connection` are options of the connection, `options` those of `NatsBroker`."""
        super().__init__(servers, **options)
        self._chosen = connection

    async def _connect(self) -> Nats:
        connection = Connection()
        await connection.connect(**self._chosen)
        self.config.connect(connection)
        return connection
