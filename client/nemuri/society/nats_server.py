"""A NATS server for a society: the one that the settings lead to, else one for as long as it is needed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from nemuri.client.connection import NotRunning, nats_address, permitted
from nemuri.client.jetstream import jetstream_needed
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.embedded.nats import EmbeddedNats, kept_url
from nemuri_infra.embedded.supervisor import Supervisor
from nemuri_infra.runtime.provisioning import provision
from nemuri_infra.runtime.settings import Settings


@asynccontextmanager
async def reached(
    settings: Settings, *, start: bool, lives: str | None = None, new: bool = False
) -> AsyncIterator[tuple[Settings, Log]]:
    """The settings with the server's address, and a connection to it.

    Where no platform runs, it is the server of whoever has started one for a society, unless it is for a society that
    `lives` on the connection, by its name: that server may end before it does. Else, where `start` is true, one of its
    own runs in the data directory for as long as the context lasts, with `new` also in one that no server ever ran in;
    without any it raises `NotRunning`. Raises `UnreachableError`, `AlreadyRunning`, `ServerFailed`.
    """
    try:
        url = nats_address(settings)
    except NotRunning:
        if lives is None and (another := _of_another(settings)) is not None:
            async with connected(settings, another) as found:
                yield found
            return
        if not (start and (new or _ran_in(settings))):
            raise
        home = Home(settings.data)
        nats = EmbeddedNats(home.nats)
        with home.lock(lives):
            async with Supervisor([nats]).kept(), connected(settings, nats.url) as found:
                await provision(
                    found[1], (), ack_wait=settings.ack_wait, replicas=settings.replicas, storage=settings.storage_bytes
                )
                yield found
    else:
        async with connected(settings, url) as found:
            yield found


def _ran_in(settings: Settings) -> bool:
    home = Home.there(settings.data)
    return home is not None and home.nats.exists()


def _of_another(settings: Settings) -> str | None:
    """The server of a society that runs in the data directory without a platform."""
    home = Home.there(settings.data)
    return kept_url(home.nats) if home is not None and home.taken else None


@asynccontextmanager
async def connected(settings: Settings, url: str) -> AsyncIterator[tuple[Settings, Log]]:
    """A connection to a server that is there; raises `UnreachableError` for one that is not.

    Raises `NotPermitted` where the work ends because the server refused something.
    """
    log = await Log.connect(url, settings.namespace, patient=False, access=settings.access)
    try:
        with permitted(log), jetstream_needed(url):
            yield settings.model_copy(update={"nats_url": url}), log
    finally:
        await log.close()
