"""Asking a process how it is, as a probe does, without keeping its event loop from answering."""

import asyncio
import json
import urllib.error
import urllib.request
from typing import Any

from prometheus_client.parser import text_string_to_metric_families


async def asked(url: str, page: str) -> tuple[int, bytes]:
    """The status and the body of a page."""

    def ask() -> tuple[int, bytes]:
        try:
            with urllib.request.urlopen(f"{url}{page}", timeout=10) as reply:
                return reply.status, reply.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    return await asyncio.to_thread(ask)


async def ready(url: str) -> tuple[bool, list[str]]:
    """Whether a process is ready, and what it misses."""
    status, body = await asked(url, "/ready")
    said: dict[str, Any] = json.loads(body)
    assert said["ready"] == (status == 200)
    return said["ready"], said["missing"]


async def metrics(url: str) -> dict[str, dict[tuple[str, ...], float]]:
    """Every sample by its name, and by the values of its labels in the order of their names."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families((await asked(url, "/metrics"))[1].decode()):
        for sample in family.samples:
            values = tuple(value for _, value in sorted(sample.labels.items()))
            found.setdefault(sample.name, {})[values] = sample.value
    return found
