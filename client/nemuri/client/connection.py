"""Finding the running platform and connecting to it."""

import shlex
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from nats.errors import Error as NatsError
from pydantic import ValidationError

from nemuri.client.client import Client
from nemuri.client.connection_attempt import CONNECTING_SECONDS
from nemuri.client.exchange import ClientError, NotConnectedError, NotPermitted
from nemuri.client.task_waiting import check_timeout
from nemuri_contracts.codec import validation_message
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embedded.data_directory import Addresses, Holder, Home, HomeUnusable
from nemuri_infra.runtime.settings import Settings


class NotRunning(NotConnectedError):  # noqa: N818 - the name states a fact
    """Raised if no platform runs in the data directory. The message is one line and says how to start one."""


def resolve_addresses(settings: Settings) -> Settings:
    """Return the settings with the addresses of the NATS server and of the database.

    Addresses in the environment have precedence; the others come from the platform that runs in the data directory.
    Raises `NotRunning` if none runs there, `HomeUnusable` if the path is no data directory, and `DatabaseError` if the
    database address is invalid.
    """
    from nemuri_infra.projections.database import check_database_url  # A plain client needs no database.

    if settings.database_url:
        check_database_url(settings.database_url)
    if settings.nats_url and settings.database_url:
        return settings
    found = _addresses(settings)
    return settings.addressed(settings.nats_url or found.nats_url, settings.database_url or found.database_url)


def nats_address(settings: Settings) -> str:
    """Return the address of the NATS server, which is all that a client needs.

    Raises `NotRunning` and `HomeUnusable` as `resolve_addresses` does.
    """
    return settings.nats_url or _addresses(settings).nats_url


def settings_with(**options: object) -> Settings:
    """Return the settings of the environment, overridden by the options that are not None."""
    return Settings.model_validate({name: value for name, value in options.items() if value is not None})


@asynccontextmanager
async def connect(
    data: str | Path | None = None,
    namespace: str | None = None,
    client_id: str | None = None,
    *,
    timeout: float = CONNECTING_SECONDS,
) -> AsyncIterator[Client]:
    """Connect to a running platform.

    The client logs to the logger `nemuri` of the standard library and prints nothing.

    Args:
        data: Data directory of the platform; None for `NEMURI_DATA` or the default directory. It is not used if
            `NATS_URL` is set.
        namespace: Namespace of the platform; None for `NEMURI_NAMESPACE` or the default.
        client_id: Name of the client; None for `NEMURI_CLIENT` or "python". Only this client or an operator can answer
            and judge its tasks.
        timeout: Seconds that connecting may take, above 0.

    Returns:
        A context manager that yields the client and closes the connection at the end.

    Raises:
        NotConnectedError: No platform runs in the data directory, or no server with a platform answers at `NATS_URL`.
        ClientError: A setting is invalid, or the server does not permit the user.

    Example:
        >>> async with nemuri.connect() as client:
        ...     agents = await client.agents("python")
        >>> agents[0].agent_id
        'python'
    """
    check_timeout(timeout)
    try:
        settings = settings_with(data=data, namespace=namespace, client=client_id)
        url = nats_address(settings)
    except ValidationError as error:
        raise ClientError(f"the settings are wrong: {validation_message(error)}") from error
    except HomeUnusable as error:
        raise NotConnectedError(str(error)) from error
    name = settings.client or "python"
    async with Client.connect(
        url,
        namespace=settings.namespace,
        client_id=name,
        access=settings.access,
        timeout=timeout,
        archive=settings.archive_directory,
    ) as client:
        yield client


@asynccontextmanager
async def connected(settings: Settings, client_id: str, timeout: float = CONNECTING_SECONDS) -> AsyncIterator[Client]:
    """Connect to the platform of the settings, yield the client, and close the connection at the end.

    Raises the errors of `nats_address` and `Client.connect`, and `NotPermitted` if the block fails because the server
    denied a permission.
    """
    async with Client.connect(
        nats_address(settings),
        namespace=settings.namespace,
        client_id=client_id,
        access=settings.access,
        timeout=timeout,
        archive=settings.archive_directory,
    ) as client:
        with permitted(client.log):
            yield client


@contextmanager
def permitted(log: Log, refused: type[Exception] = NotPermitted) -> Iterator[None]:
    """Raise `refused` if the block fails because the server denied a permission.

    The server reports a denial to the connection, not to the call that caused it.
    """
    try:
        yield
    except (NatsError, TimeoutError) as error:
        if not log.denied or isinstance(error, ClientError):
            raise
        raise refused(f"the NATS server does not permit this user {log.denied[0]}") from error


def _addresses(settings: Settings) -> Addresses:
    path = settings.data.expanduser().absolute()
    home = Home.existing(path)
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
    """Return the message for a data directory that is in use, but not by a ready platform."""
    if holder.work is None:
        return f"nemuri is starting or stopping in {path} ({holder}); try again in a moment"
    return (
        f"{holder.work} runs in {path} ({holder}) on a server of its own, without a platform: end it, and start the"
        f" platform with `{start}`"
    )
