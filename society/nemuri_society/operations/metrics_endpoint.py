"""Health and metrics of a society's processes over HTTP."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import structlog
from prometheus_client import CollectorRegistry, generate_latest

from nemuri.platform.probes import serve_endpoints
from nemuri_infra.bus.event_log import Log

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class SocietyProbes:
    """Health and metrics of a host or a world."""

    society: str
    role: str
    log: Log
    missing: Callable[[], Sequence[str]]
    """Function that returns the missing dependencies of the process, except NATS."""
    registry: CollectorRegistry

    def health(self) -> dict[str, Any]:
        """Return the health. A process is healthy until its connection is closed permanently."""
        lost = {"nats": "closed for good"} if self.log.lost.is_set() else {}
        return {"healthy": not lost, "society": self.society, "role": self.role, "halted": lost}

    async def ready(self) -> dict[str, Any]:
        """Return the readiness. The process is ready if it is connected to NATS and no dependency is missing."""
        bus = () if self.log.connection.is_connected else ("NATS: not connected",)
        missing = [*bus, *self.missing()]
        return {"ready": not missing, "society": self.society, "role": self.role, "missing": missing}

    async def metrics(self) -> bytes:
        """Return all metrics of the registry in Prometheus format."""
        return generate_latest(self.registry)


@asynccontextmanager
async def serve_probes(address: str | None, probes: SocietyProbes) -> AsyncIterator[str | None]:
    """Serve health and metrics at an address while the context lasts, and yield the URL.

    Without an address, serve nothing and yield None. Raises `ServerFailed` if the address cannot be used.
    """
    if address is None:
        yield None
        return
    async with serve_endpoints(address, probes) as url:
        logger.info("listening", http=url)
        yield url
