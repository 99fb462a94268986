"""A platform in the memory of this process, and clients of it, for tests and experiments without servers."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from nemuri.admin.agent_definitions import AgentFile, add_agent
from nemuri.client.client import Client
from nemuri.client.exchange import Exchange, validated
from nemuri_contracts.agents import Definition
from nemuri_contracts.event import OPERATOR
from nemuri_infra.in_memory.services import InMemoryServices
from nemuri_infra.models.factory import Models
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES

IN_MEMORY_SERVICES: Final = (
    "intake", "conversation", "orchestrator", "routing-memory", "specialist", "attribution", "strength-sleep",
    "semantic-memory", "query-api",
)  # fmt: skip
"""The services of agents with strength memory. The others read tables that are not kept in memory."""


@dataclass(frozen=True, slots=True, repr=False)  # The text of all that is in memory takes a test seconds.
class InMemoryPlatform:
    """A running platform in memory."""

    services: InMemoryServices

    def client(self, client_id: str = OPERATOR) -> Client:
        """Return a client of this name. It needs no closing."""
        log, resources = self.services.log, self.services.resources
        blobs = replace(resources.blobs, client=client_id)
        return Client(Exchange(log, client_id), log, blobs, resources.results)

    async def define(self, agent_id: str, **definition: Any) -> None:
        """Define an agent, or change its definition, and return when it can take tasks.

        Args:
            agent_id: Name of the agent.
            definition: Fields of its `Definition`, such as `role`, `description` and `perspectives`.

        Raises:
            ClientError: The definition is invalid, or the agent has another kind of memory.
        """
        file = AgentFile(agent_id, validated(Definition, **definition), None)
        await add_agent(self.client(), file, self.services.resources.vectors.embedding)


@asynccontextmanager
async def in_memory(
    services: Iterable[str] = IN_MEMORY_SERVICES, *, settings: Settings | None = None, models: Models | None = None
) -> AsyncIterator[InMemoryPlatform]:
    """Run a platform in the memory of this process: the same services and clients, but no servers.

    Nothing is stored on a disk, and all is gone at the end of the context. Agents have strength memory; affective and
    tiered memories, courses and health need the servers.

    Args:
        services: Names of the services that run.
        settings: Settings of the platform; None for those of the environment.
        models: Language models; None for those of the settings.

    Returns:
        A context manager that yields the platform, whose `client` returns clients.

    Raises:
        KeyError: There is no service of one of the names.

    Example:
        >>> async with nemuri.in_memory() as platform:
        ...     await platform.define("python", role="expert on Python")
        ...     result = await platform.client("ann").ask("What is truth value testing?", agent="python")
        >>> result.status
        'done'
    """
    running = await InMemoryServices.of((SERVICES[name] for name in services), settings, models=models)
    async with running.running():
        yield InMemoryPlatform(running)
