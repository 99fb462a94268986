"""Services in this process: provisioned, started, stopped."""

from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager

from nemuri.face.catalogue import SERVICES
from nemuri.face.jetstream import jetstream_needed
from nemuri.infra.hosting import application
from nemuri.infra.log import Log
from nemuri.infra.provisioning import provision
from nemuri.infra.resources import Resources, opened
from nemuri.infra.settings import Settings
from nemuri.infra.views.database import Database


async def prepare(settings: Settings) -> None:
    """Make what the namespace needs on both servers; doing it again changes nothing."""
    log = await Log.connect(str(settings.nats_url), settings.namespace, patient=False)
    try:
        durables = [durable for service in SERVICES.values() for durable in service.durables(log.subjects)]
        with jetstream_needed(str(settings.nats_url)):
            await provision(log, durables, replicas=settings.replicas)
    finally:
        await log.close()
    database = Database.at(str(settings.database_url), settings.namespace)
    try:
        await database.migrate()
    finally:
        await database.close()


@asynccontextmanager
async def serving(settings: Settings, names: Iterable[str]) -> AsyncIterator[Resources]:
    """The named services, at work in this process for as long as the context lasts."""
    async with opened(settings) as resources, working(resources, names):
        yield resources


@asynccontextmanager
async def working(resources: Resources, names: Iterable[str]) -> AsyncIterator[None]:
    """The named services, at work with these resources for as long as the context lasts."""
    async with AsyncExitStack() as stack:
        for name in names:
            app = application(SERVICES[name], resources)
            await stack.enter_async_context(app.lifespan_context())
            await app.start()
            stack.push_async_callback(app.stop)
        yield
