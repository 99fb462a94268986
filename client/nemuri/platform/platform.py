"""The platform: servers and services under one data directory, started and stopped together."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field

from nemuri.platform.embedder_check import check_embedder, embedding_in_force
from nemuri.platform.leftovers import end_leftovers
from nemuri.platform.nightly_erasure import sweeping
from nemuri.platform.serving import prepare, serving
from nemuri.platform.start_check import StartProblems, start_problems
from nemuri.platform.worker_fork_server import worker_fork_server
from nemuri.platform.workers import Worker, environment_of, settings_of_replica, while_connected
from nemuri_infra.embedded.data_directory import Addresses, Home
from nemuri_infra.embedded.nats import EmbeddedNats
from nemuri_infra.embedded.postgres import EmbeddedPostgres
from nemuri_infra.embedded.supervisor import Supervised, Supervisor
from nemuri_infra.projections.database import Database, check_database_url
from nemuri_infra.runtime.readiness import Readiness
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES


@dataclass(frozen=True, slots=True)
class Running:
    """The running services of a platform, in one process or several."""

    resources: Resources | None
    """Resources of the services in this process; None if each service has its own process."""
    readiness: Readiness | None = None
    """Readiness of the services in this process; None if each service has its own process."""
    http: dict[str, str] = field(default_factory=dict)
    """URLs of the health and metrics endpoints, by process."""


@dataclass(frozen=True, slots=True)
class Started:
    """A platform whose servers and services have started."""

    addresses: Addresses
    http: dict[str, str]
    """URLs of the health and metrics endpoints, by process."""
    problems: StartProblems
    """The services that have halted already, so that the platform is not ready."""


Company = Callable[[Settings, Running], AbstractAsyncContextManager[object]]
"""Something that runs beside the services, with the settings that have all addresses: the window."""


def no_company(_settings: Settings, _running: Running) -> AbstractAsyncContextManager[object]:
    """Run nothing beside the services."""
    return nullcontext()


async def run_platform(
    settings: Settings,
    *,
    processes: bool,
    stop: asyncio.Event,
    ready: Callable[[Started], None],
    beside: Company = no_company,
) -> None:
    """Run the servers that have no configured address and all services, until `stop` is set or the task is cancelled.

    With `processes` each service has its own process, which is restarted if it dies; otherwise all run in this one.
    `beside` is entered when the services run, and left before they stop. `ready` is called when everything has started,
    with what has halted since.

    Raises `AlreadyRunning`, `ServerFailed`, `UnreachableError`, `DatabaseError`, `EmbedderChanged`, `SettingsError`.
    """
    if settings.database_url is not None:
        check_database_url(settings.database_url)
        await Database.at(settings.database_url, settings.namespace).check_usable()
    embedding = await embedding_in_force(settings)
    home = Home(settings.data)
    with home.lock():
        await end_leftovers(home)
        async with _servers(home, settings) as addressed:
            await prepare(addressed)
            await check_embedder(addressed, embedding)
            async with (
                _services(home, addressed, processes=processes) as running,
                sweeping(addressed),
                beside(addressed, running),
            ):
                addresses = Addresses(
                    nats_url=str(addressed.nats_url), database_url=str(addressed.database_url), pid=os.getpid()
                )
                home.write_addresses(addresses)
                resources = running.resources
                ready(Started(addresses, running.http, await start_problems(addressed, resources)))
                await (stop.wait() if resources is None else while_connected(resources, stop.wait()))


@asynccontextmanager
async def _servers(home: Home, settings: Settings) -> AsyncIterator[Settings]:
    """Run the servers without a configured address while the context lasts, and yield settings with all addresses."""
    nats, postgres = EmbeddedNats(home.nats), EmbeddedPostgres(home.postgres)
    wanted: list[Supervised] = []
    if settings.nats_url is None:
        wanted.append(nats)
    if settings.database_url is None:
        wanted.append(postgres)
    async with Supervisor(wanted).running():
        yield settings.addressed(settings.nats_url or nats.url, settings.database_url or postgres.url)


@asynccontextmanager
async def _services(home: Home, settings: Settings, *, processes: bool) -> AsyncIterator[Running]:
    if processes:
        async with _workers(home, settings) as http:
            yield Running(None, http=http)
    else:
        async with serving(settings, SERVICES) as here:
            yield Running(here.resources, here.readiness, {"nemuri": here.http} if here.http else {})


@asynccontextmanager
async def _workers(home: Home, settings: Settings) -> AsyncIterator[dict[str, str]]:
    home.workers.mkdir(mode=0o700, exist_ok=True)
    async with worker_fork_server(home) as fork_server:
        workers = [
            Worker(home, name, environment_of(settings_of_replica(settings, number)), fork_server)
            for number, name in enumerate(SERVICES)
        ]
        async with Supervisor(workers, together=True).running():
            yield {worker.name: worker.http for worker in workers if worker.http}
