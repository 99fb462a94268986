"""The gateway as part of `nemuri up`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from nemuri.gateway.gateway_server import Served, serving_gateway
from nemuri.platform.platform import Running
from nemuri.platform.probes import ServiceProbes, application_of
from nemuri.web.options import WebOptions
from nemuri_infra.runtime.settings import Settings


@dataclass(slots=True)
class PlatformGateway:
    """Serves the gateway beside the services of a platform. If they run in this process, it serves their probes too."""

    options: WebOptions
    served: Served | None = None
    """Addresses of the gateway while it is served."""

    @asynccontextmanager
    async def beside(self, settings: Settings, running: Running) -> AsyncIterator[None]:
        """Serve the gateway while the context lasts. Raises `ServerFailed` if its address cannot be used."""
        probes = application_of(ServiceProbes(running.readiness)) if running.readiness else None
        async with serving_gateway(settings, self.options, probes) as served:
            self.served = served
            yield
        self.served = None
