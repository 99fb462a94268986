"""Platforms in memory for tests of services: what `tests.integration.harness` opens if the settings name one."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import uuid4

from nemuri.client.client import Client
from nemuri.platform.in_memory import IN_MEMORY_SERVICES, InMemoryPlatform
from nemuri_infra.in_memory.projections import InMemoryProjections
from nemuri_infra.in_memory.services import InMemoryServices
from nemuri_infra.models.factory import Models
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES

MEMORY = "memory"
"""Address of a platform in memory, in place of those of servers."""
_PLATFORMS: dict[str, InMemoryServices] = {}
"""The platforms of this process, by namespace."""


async def in_memory_settings() -> Settings:
    """Return the settings of a new platform in memory."""
    settings = Settings(namespace=f"test-{uuid4().hex[:12]}", nats_url=MEMORY, database_url=MEMORY)
    _PLATFORMS[settings.namespace] = await InMemoryServices.of((), settings)
    return settings


def platform_of(settings: Settings) -> InMemoryServices | None:
    """Return the platform in memory that the settings name; None for one on servers."""
    return _PLATFORMS[settings.namespace] if settings.nats_url == MEMORY else None


@asynccontextmanager
async def running_in_memory(
    platform: InMemoryServices, names: Iterable[str], models: Models | None
) -> AsyncIterator[Resources]:
    """Run services of a platform in memory, and yield their resources."""
    for name in set(names) & set(IN_MEMORY_SERVICES):
        platform.start(SERVICES[name], models=models)
    try:
        async with platform.running():
            yield replace(platform.resources, models=models or platform.resources.models)
    finally:
        platform.stop()


def client_of(platform: InMemoryServices, client_id: str) -> Client:
    """Return a client of a platform in memory."""
    return InMemoryPlatform(platform).client(client_id)


async def assert_refolds(platform: InMemoryServices) -> None:
    """Assert that the events of the log, folded again, give the same states, and that there are some."""
    await platform.settle()
    again = InMemoryProjections()
    async for batch in platform.log.read(0, await platform.log.last_sequence()):
        for event in batch.events:
            again.fold(event)
    assert again.journal
    assert again == platform.projections
