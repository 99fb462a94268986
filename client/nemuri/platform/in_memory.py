"""A platform in the memory of this process, and clients of it, for tests and experiments without servers."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Final

from nemuri.client.client import Client
from nemuri.client.exchange import Exchange
from nemuri_contracts.event import OPERATOR
from nemuri_infra.in_memory.platform import InMemoryPlatform
from nemuri_infra.models.factory import Models
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES

IN_MEMORY_SERVICES: Final = (
    "intake", "orchestrator", "routing-memory", "specialist", "attribution", "strength-sleep", "semantic-memory",
    "query-api",
)  # fmt: skip
"""The services of agents with strength memory. The others read tables that are not kept in memory."""


@dataclass(frozen=True, slots=True)
class InMemoryNemuri:
    """A running platform in memory."""

    platform: InMemoryPlatform

    def client(self, client_id: str = OPERATOR) -> Client:
        """Return a client of this name. It needs no closing."""
        log, resources = self.platform.log, self.platform.resources
        blobs = replace(resources.blobs, client=client_id)
        return Client(Exchange(log, client_id), log, blobs, resources.results)


@asynccontextmanager
async def in_memory(
    services: Iterable[str] = IN_MEMORY_SERVICES, *, settings: Settings | None = None, models: Models | None = None
) -> AsyncIterator[InMemoryNemuri]:
    """Run a platform in the memory of this process: the same services and clients, but no servers.

    Nothing is stored on a disk, and all is gone at the end of the context. Agents have strength memory; lists of
    memories, tasks and events, affective and tiered memories, and courses need the servers.

    Args:
        services: Names of the services that run.
        settings: Settings of the platform; None for those of the environment.
        models: Language models; None for those of the settings.

    Yields:
        The platform, whose `client` returns clients.

    Raises:
        KeyError: There is no service of one of the names.

    Example:
        >>> async with nemuri.in_memory() as platform:
        ...     client = platform.client("ann")
        ...     await client.define_agent("python", "Python expert")
        ...     result = await client.ask("What is truth value testing?")
        >>> result.status
        'done'
    """
    platform = await InMemoryPlatform.of((SERVICES[name] for name in services), settings, models=models)
    async with platform.running():
        yield InMemoryNemuri(platform)
