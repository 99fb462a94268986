"""HTTP endpoints of a process: `/health`, `/ready` and `/metrics`, for probes and Prometheus. They are read-only."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from prometheus_client import CONTENT_TYPE_LATEST

from nemuri.web.http_server import serve_application
from nemuri_infra.runtime.readiness import Readiness
from nemuri_infra.runtime.storage_limits import warnings

Send = Callable[[dict[str, Any]], Awaitable[None]]
Reply = tuple[int, str, bytes]


class ProbeSource(Protocol):
    """A source of the health, readiness and metrics of a process."""

    def health(self) -> dict[str, Any]:
        """Return the state of the process: `healthy` and details."""

    async def ready(self) -> dict[str, Any]:
        """Return the readiness of the process: `ready` and details."""

    async def metrics(self) -> bytes:
        """Return the metrics in the text format of Prometheus."""


@dataclass(frozen=True, slots=True)
class ServiceProbes:
    """Health, readiness and metrics of a process that runs services."""

    readiness: Readiness

    def health(self) -> dict[str, Any]:
        """Return the names of the services, and the reason for each halted service or closed connection."""
        ills = self.readiness.fatal_problems()
        return {"healthy": not ills, "services": self._names, "halted": ills}

    async def ready(self) -> dict[str, Any]:
        """Return the readiness with missing servers, the lag of the projections, warnings, and the models in use."""
        report, models = await self.readiness.report(), self.readiness.resources.models
        return {
            "ready": report.ready,
            "services": self._names,
            "missing": report.problems,
            "behind": report.projection_lag,
            "warnings": warnings(report.fill_levels),
            "models": sorted({models.main.name, models.light.name}),
        }

    async def metrics(self) -> bytes:
        """Return the current metrics of the process."""
        await self.readiness.report()
        return self.readiness.resources.metrics.exposition()

    @property
    def _names(self) -> list[str]:
        return [service.name for service in self.readiness.services]


@asynccontextmanager
async def serve_endpoints(address: str, told: ProbeSource) -> AsyncIterator[str]:
    """Serve the endpoints at an address while the context lasts, and yield the URL. Raises `ServerFailed`."""
    async with serve_application(application_of(told), address) as url:
        yield url


def application_of(told: ProbeSource) -> Callable[..., Awaitable[None]]:
    """Return the ASGI application that serves the endpoints of a process."""
    pages: dict[str, Callable[[ProbeSource], Awaitable[Reply]]] = {
        "/health": _health,
        "/ready": _ready,
        "/metrics": _metrics,
    }

    async def application(scope: dict[str, Any], _receive: object, send: Send) -> None:
        page, method = pages.get(scope["path"]), scope["method"]
        if page is None:
            reply = _json(404, {"pages": sorted(pages)})
        elif method not in {"GET", "HEAD"}:
            reply = _json(405, {"methods": ["GET", "HEAD"]})
        else:
            reply = await page(told)
        status, kind, body = reply
        headers = [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})

    return application


async def _health(told: ProbeSource) -> Reply:
    """Return the health. That an answer comes at all shows that the event loop runs."""
    known = told.health()
    return _json(200 if known["healthy"] else 503, known)


async def _ready(told: ProbeSource) -> Reply:
    known = await told.ready()
    return _json(200 if known["ready"] else 503, known)


async def _metrics(told: ProbeSource) -> Reply:
    return 200, CONTENT_TYPE_LATEST, await told.metrics()


def _json(status: int, value: object) -> Reply:
    return status, "application/json", json.dumps(value).encode()
