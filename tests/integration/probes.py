"""Requests to the HTTP probes of a process. They run in a thread, so that they do not block the event loop."""

import asyncio
import json
import urllib.error
import urllib.request
from typing import Any

from prometheus_client.parser import text_string_to_metric_families


async def fetch_page(url: str, page: str) -> tuple[int, bytes]:
    """Return the HTTP status and the body of a page."""

    def ask() -> tuple[int, bytes]:
        try:
            with urllib.request.urlopen(f"{url}{page}", timeout=10) as reply:
                return reply.status, reply.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    return await asyncio.to_thread(ask)


async def ready(url: str) -> tuple[bool, list[str]]:
    """Return two values: True if the process is ready, and its missing dependencies."""
    status, body = await fetch_page(url, "/ready")
    said: dict[str, Any] = json.loads(body)
    assert said["ready"] == (status == 200)
    return said["ready"], said["missing"]


async def metrics(url: str) -> dict[str, dict[tuple[str, ...], float]]:
    """Return every metric's samples by name and label values. Label values are ordered by their labels' names."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families((await fetch_page(url, "/metrics"))[1].decode()):
        for sample in family.samples:
            values = tuple(value for _, value in sorted(sample.labels.items()))
            found.setdefault(sample.name, {})[values] = sample.value
    return found
