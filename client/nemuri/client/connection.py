"""Where the platform is, and a client of it."""

import shlex
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from nats.errors import Error as NatsError
from pydantic import ValidationError

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError, NotConnectedError, NotPermitted
from nemuri.client.platform_connection import CONNECTING_SECONDS
from nemuri.client.task_waiting import check_timeout
from nemuri_contracts.codec import complaint
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embedded.data_directory import Addresses, Holder, Home, HomeUnusable
from nemuri_infra.runtime.settings import Settings


class NotRunning(NotConnectedError):  # noqa: N818 - said as the fact that it is
    """There is no platform where one was looked for; the message is one line and says how to start one."""


def resolve(settings: Settings) -> Settings:
    """The settings with the addresses of both servers.

    What the environment says wins; the rest is asked of the platform that runs in the data directory. Raises
    `NotRunning` when none does, `HomeUnusable` when the path is no data directory, `DatabaseError` for a database
    address that is none.
    """
    from nemuri_infra.projections.database import check_database_url  # plain clients need no database

    if settings.database_url:
        check_database_url(settings.database_url)
    if settings.nats_url and settings.database_url:
        return settings
    found = _addresses(settings)
    return settings.addressed(settings.nats_url or found.nats_url, settings.database_url or found.database_url)


def nats_address(settings: Settings) -> str:
    """Where the NATS server is, which is all that a client needs; raises like `resolve`."""
    return settings.nats_url or _addresses(settings).nats_url


def given(**options: object) -> Settings:
    """The settings of the environment, with those of the options that are not None in place of theirs."""
    return Settings.model_validate({name: value for name, value in options.items() if value is not None})


@asynccontextmanager
async def connect(
    data: str | Path | None = None,
    namespace: str | None = None,
    client_id: str | None = None,
    *,
    timeout: float = CONNECTING_SECONDS,
) -> AsyncIterator[Client]:
    """A client of the platform that runs in the data directory `data`, or at `NATS_URL`, within `timeout` seconds.

    It logs to the logger `nemuri` of the standard library and prints nothing. Raises `NotConnectedError` when there is
    no such platform, `ClientError` for a setting that cannot be used.
    """
    check_timeout(timeout)
    try:
        settings = given(data=data, namespace=namespace, client=client_id)
        url = nats_address(settings)
    except ValidationError as error:
        raise ClientError(f"the settings are wrong: {complaint(error)}") from error
    except HomeUnusable as error:
        raise NotConnectedError(str(error)) from error
    name = settings.client or "python"
    async with Client.connect(
        url, namespace=settings.namespace, client_id=name, access=settings.access, timeout=timeout
    ) as client:
        yield client


@asynccontextmanager
async def connected(settings: Settings, client_id: str, timeout: float = CONNECTING_SECONDS) -> AsyncIterator[Client]:
    """A client of the platform that the settings lead to; raises like `connect`, and `NotPermitted`."""
    async with Client.connect(
        nats_address(settings),
        namespace=settings.namespace,
        client_id=client_id,
        access=settings.access,
        timeout=timeout,
    ) as client:
        with permitted(client.log):
            yield client


@contextmanager
def permitted(log: Log, refused: type[Exception] = NotPermitted) -> Iterator[None]:
    """Raises `refused` where work ends because the server refused something: it tells the connection, not who asked."""
    try:
        yield
    except (NatsError, TimeoutError) as error:
        if not log.denied or isinstance(error, ClientError):
            raise
        raise refused(f"the NATS server does not permit this user {log.denied[0]}") from error


def _addresses(settings: Settings) -> Addresses:
    path = settings.data.expanduser().absolute()
    home = Home.there(path)
    found = home.read_addresses() if home is not None else None
    if found is None:
        given_one = "NATS_URL" if settings.nats_url else "DATABASE_URL" if settings.database_url else None
        if given_one:
            missing = "DATABASE_URL" if settings.nats_url else "NATS_URL"
            raise NotRunning(f"{given_one} is set, but {missing} is not, and no platform is ready in {path}; set both")
        start = f"nemuri --data {shlex.quote(str(path))} up"
        if home is not None and (holder := home.holder) is not None:
            raise NotRunning(_instead(path, holder, start))
        raise NotRunning(f"no platform is ready in {path}; start it with `{start}`")
    return found


def _instead(path: Path, holder: Holder, start: str) -> str:
    """What to say of a directory in which something runs that is no platform, or not ready."""
    if holder.society is None:
        return f"nemuri is starting or stopping in {path} ({holder}); try again in a moment"
    return (
        f"society {holder.society!r} runs in {path} ({holder}) on a server of its own, without a platform: watch it"
        f" with `nemuri society watch {holder.society}`, or end it and start the platform with `{start}`"
    )
