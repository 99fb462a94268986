"""The NATS server of a society: the configured one, or a temporary one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from nemuri.client.connection import NotRunning, nats_address, permitted
from nemuri.platform.leftovers import end_leftovers
from nemuri_infra.bus.connection import jetstream_needed
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.embedded.nats import EmbeddedNats, kept_url
from nemuri_infra.embedded.supervisor import Supervisor
from nemuri_infra.runtime.provisioning import provision
from nemuri_infra.runtime.settings import Settings


@asynccontextmanager
async def society_server(
    settings: Settings, *, start: bool, running: str | None = None, new: bool = False
) -> AsyncIterator[tuple[Settings, Log]]:
    """Yield the settings with a server's address, and a connection to it.

    The server is the first one of these that exists:

    1. The server of the settings or of the running platform.
    2. The server that another command has started for a society in this data directory. It is not used with `running`,
       the name of a society that is to run on the connection, because that server may end earlier.
    3. With `start`, a new server in the data directory for as long as the context lasts. Without `new` a server must
       have run there before.

    Raises `NotRunning` if there is none, and `UnreachableError`, `AlreadyRunning` or `ServerFailed`.
    """
    try:
        url = nats_address(settings)
    except NotRunning:
        if running is None and (url_of_other := _url_of_running_society(settings)) is not None:
            async with connect(settings, url_of_other) as found:
                yield found
            return
        if not (start and (new or _has_server_data(settings))):
            raise
        home = Home(settings.data)
        nats = EmbeddedNats(home.nats)
        work = None if running is None else f"society {running!r} (see `nemuri society watch {running}`)"
        with home.lock(work):
            await end_leftovers(home)
            async with Supervisor([nats]).running(), connect(settings, nats.url) as found:
                await provision(
                    found[1], (), ack_wait=settings.ack_wait, replicas=settings.replicas, storage=settings.storage_bytes
                )
                yield found
    else:
        async with connect(settings, url) as found:
            yield found


def _has_server_data(settings: Settings) -> bool:
    home = Home.existing(settings.data)
    return home is not None and home.nats.exists()


def _url_of_running_society(settings: Settings) -> str | None:
    """Return the URL of the server that another command runs in the data directory for a society; None if there is
    none.
    """
    home = Home.existing(settings.data)
    return kept_url(home.nats) if home is not None and home.is_locked else None


@asynccontextmanager
async def connect(settings: Settings, url: str) -> AsyncIterator[tuple[Settings, Log]]:
    """Connect to a running server, and yield the settings with its address and the log. Close the connection at the
    end.

    Raises `UnreachableError` if there is no server, and `NotPermitted` if the block fails because the server denied an
    operation.
    """
    log = await Log.connect(
        url, settings.namespace, patient=False, access=settings.access, archive=settings.archive_directory
    )
    try:
        with permitted(log), jetstream_needed(url):
            yield settings.model_copy(update={"nats_url": url}), log
    finally:
        await log.close()
