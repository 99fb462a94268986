"""Running services in this process: provisioning, start and stop."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

import structlog
from faststream import FastStream
from nats.js.errors import NotFoundError
from sqlalchemy.exc import DBAPIError

from nemuri.platform.probes import ServiceProbes, serve_endpoints
from nemuri_infra.bus.connection import jetstream_needed
from nemuri_infra.bus.event_log import Log
from nemuri_infra.errors.database_errors import OUTAGES
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.projection import FOLD
from nemuri_infra.runtime.faststream_application import DRAIN_SECONDS, application
from nemuri_infra.runtime.provisioning import provision
from nemuri_infra.runtime.readiness import Readiness
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.service import Capability
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES

PING_SECONDS = 2.0
CLOSE_SECONDS = 3.0
"""Seconds that connections may take to close after all work has ended."""

FOLD_CHECK_SECONDS = 0.5
"""Seconds between two checks whether the projections are rebuilt."""

logger = structlog.get_logger()


class NotProvisioned(RuntimeError):  # noqa: N818 - the name states a fact
    """Something that a service needs on a server was not provisioned. The message is one line."""


async def prepare(settings: Settings) -> None:
    """Create everything that the namespace needs on the NATS server and in the database. Repeating it changes nothing.

    Tables that an older version of the folds built stay, because programs of that version may use them. The projector
    replaces them. If the database cannot be used, nothing is created on the NATS server either.
    """
    log = await Log.connect(
        str(settings.nats_url),
        settings.namespace,
        patient=False,
        access=settings.access,
        archive=settings.archive_directory,
    )
    database = Database.at(str(settings.database_url), settings.namespace)
    try:
        await database.create()
        durables = [service.durable(log.subjects) for service in SERVICES.values()]
        with jetstream_needed(str(settings.nats_url)):
            await provision(
                log,
                filter(None, durables),
                ack_wait=settings.ack_wait,
                replicas=settings.replicas,
                storage=settings.storage_bytes,
            )
    finally:
        await database.close()
        await log.close()


async def ensure_provisioned(settings: Settings, names: Iterable[str]) -> None:
    """Create everything that the namespace needs. If `settings.provision` is false, only check that it exists.

    The check covers what the named services need. Raises `NotProvisioned` if something is missing.
    """
    if settings.provision:
        await prepare(settings)
        return
    log = await Log.connect(
        str(settings.nats_url),
        settings.namespace,
        patient=False,
        access=settings.access,
        archive=settings.archive_directory,
    )
    database = Database.at(str(settings.database_url), settings.namespace)
    try:
        for durable in filter(None, (SERVICES[name].durable(log.subjects) for name in names)):
            await log.stream.consumer_info(log.subjects.stream, durable.name)
        await database.check()
    except NotFoundError as error:
        where = f"the NATS server holds nothing yet for the namespace {settings.namespace!r}"
        raise NotProvisioned(f"{where}; run `python -m nemuri.cli.provision` first") from error
    finally:
        await database.close()
        await log.close()


@dataclass(frozen=True, slots=True)
class Serving:
    """The running services of this process."""

    resources: Resources
    readiness: Readiness
    http: str | None
    """URL of the health and metrics endpoints; None if they are off."""


@asynccontextmanager
async def serving(settings: Settings, names: Iterable[str]) -> AsyncIterator[Serving]:
    """Run the named services in this process while the context lasts."""
    names = tuple(names)
    async with open_resources(settings, len(names)) as resources, run_services(resources, names) as readiness:
        if settings.http is None:
            yield Serving(resources, readiness, None)
            return
        async with serve_endpoints(settings.http, ServiceProbes(readiness)) as url:
            logger.info("listening", http=url)
            yield Serving(resources, readiness, url)


@asynccontextmanager
async def run_services(resources: Resources, names: Iterable[str]) -> AsyncIterator[Readiness]:
    """Run the named services with these resources while the context lasts.

    If another version of the folds built the projections, only the projector runs until they are rebuilt, because the
    others would decide on tables that mean something else.

    At the end all services stop taking events at the same time and finish the events in progress. Background work ends
    after that, because other services may wait for it.
    """
    services = [SERVICES[name] for name in names]
    apps = {service.name: application(service, resources) for service in services}
    pings = {name: partial(app.brokers[0].ping, PING_SECONDS) for name, app in apps.items()}
    readiness = Readiness(resources, services, pings)
    started: list[FastStream] = []
    async with AsyncExitStack() as stack:
        background = await stack.enter_async_context(AsyncExitStack())
        stack.push_async_callback(_finish, started)
        others = {service.name for service in services if Capability.PROJECTS not in service.capabilities}
        if await _may_serve(resources):
            await _start(apps.values(), background, started)
        else:
            await _start((app for name, app in apps.items() if name not in others), background, started)
            waiting = _start_later(resources, [apps[name] for name in others], background, started)
            stack.push_async_callback(cancel_and_wait, asyncio.ensure_future(waiting))
        stack.push_async_callback(cancel_and_wait, asyncio.ensure_future(readiness.run()))
        yield readiness


async def _start(apps: Iterable[FastStream], background: AsyncExitStack, started: list[FastStream]) -> None:
    """Start the background work of all applications, then their subscribers, and add each to `started`."""
    apps = list(apps)
    for app in apps:
        await background.enter_async_context(app.lifespan_context())
    for app in apps:
        await app.start()
        started.append(app)


async def _start_later(
    resources: Resources, apps: Sequence[FastStream], background: AsyncExitStack, started: list[FastStream]
) -> None:
    logger.warning("waits until the projections are rebuilt by this version")
    while not await _may_serve(resources):  # noqa: ASYNC110 - a projector that is killed tells nobody
        await asyncio.sleep(FOLD_CHECK_SECONDS)
    await _start(apps, background, started)


async def _may_serve(resources: Resources) -> bool:
    """Return whether this version of the folds built the projections. True if the database does not answer.

    Records it if a newer version did.
    """
    try:
        position = await resources.projection.position()
    except (DBAPIError, *OUTAGES):
        return True
    await resources.views.progress.record(position.sequence, position.fold)
    return position.fold == FOLD


async def _finish(apps: Sequence[FastStream]) -> None:
    """Stop all applications: they take no more events and queries, and finish those in progress.

    These get `DRAIN_SECONDS`, and the connections `CLOSE_SECONDS`.
    """
    try:
        async with asyncio.timeout(DRAIN_SECONDS + CLOSE_SECONDS):
            await asyncio.gather(*(app.stop() for app in apps))
    except TimeoutError:
        logger.warning("stopped with events in progress")
