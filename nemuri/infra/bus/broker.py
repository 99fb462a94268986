"""FastStream over our own connection; apart from it, for a client needs no FastStream."""

from faststream.nats import NatsBroker
from nats.aio.client import Client as Nats

from nemuri.infra.bus.connection import Connection


class Broker(NatsBroker):
    """FastStream over such a connection."""

    async def _connect(self) -> Nats:
        connection = Connection()
        await connection.connect(**self._connection_kwargs)
        self.config.connect(connection)
        return connection
