"""What the processes of a society tell of themselves over HTTP."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import structlog
from prometheus_client import CollectorRegistry, generate_latest

from nemuri.platform.probes import listening
from nemuri_infra.bus.event_log import Log

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class OfSociety:
    """What a host or a world tells."""

    society: str
    role: str
    log: Log
    missing: Callable[[], Sequence[str]]
    """What it needs and does not have, besides the bus."""
    registry: CollectorRegistry

    def health(self) -> dict[str, Any]:
        """It lives until its connection is closed for good."""
        lost = {"nats": "closed for good"} if self.log.lost.is_set() else {}
        return {"healthy": not lost, "society": self.society, "role": self.role, "halted": lost}

    async def ready(self) -> dict[str, Any]:
        """Whether it is connected and has what it needs."""
        bus = () if self.log.connection.is_connected else ("NATS: not connected",)
        missing = [*bus, *self.missing()]
        return {"ready": not missing, "society": self.society, "role": self.role, "missing": missing}

    async def metrics(self) -> bytes:
        """Everything in its registry."""
        return generate_latest(self.registry)


@asynccontextmanager
async def telling(address: str | None, told: OfSociety) -> AsyncIterator[str | None]:
    """At an address, if there is one, for as long as the context lasts; yields its URL. Raises `ServerFailed`."""
    if address is None:
        yield None
        return
    async with listening(address, told) as url:
        logger.info("listening", http=url)
        yield url
