"""Health, readiness and metrics of a process that serves the gateway for a platform that runs elsewhere."""

from dataclasses import dataclass
from typing import Any

from prometheus_client import generate_latest

from nemuri.client.exchange import ClientError
from nemuri.web.clients import ClientPool
from nemuri.web.principals import Principal
from nemuri_contracts.event import OPERATOR


@dataclass(frozen=True, slots=True)
class GatewayProbes:
    """Probes of the gateway, which is ready while it is connected to the platform."""

    clients: ClientPool

    def health(self) -> dict[str, Any]:
        """Return that the process is healthy: it opens lost connections anew."""
        return {"healthy": True}

    async def ready(self) -> dict[str, Any]:
        """Return the readiness with the reason why the platform cannot be reached."""
        try:
            client = await self.clients.of(Principal(OPERATOR))
        except ClientError as error:
            return {"ready": False, "missing": [str(error)]}
        missing = [] if client.log.connection.is_connected else ["the connection to NATS is lost"]
        return {"ready": not missing, "missing": missing}

    async def metrics(self) -> bytes:
        """Return the metrics of the process: its processor time, memory and files."""
        return generate_latest()
