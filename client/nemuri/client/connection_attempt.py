"""Connecting to a running platform within a time limit."""

from pathlib import Path

from nats.errors import Error as NatsError
from nats.js.errors import APIError

from nemuri.client.deadlines import within
from nemuri.client.exchange import ClientError, NotConnectedError, NotPermitted
from nemuri_infra.bus.access import Access
from nemuri_infra.bus.connection import UnreachableError, jetstream_needed
from nemuri_infra.bus.event_log import Log
from nemuri_infra.stores.blobs import Blobs
from nemuri_infra.stores.results import Results

CONNECTING_SECONDS = 15.0
"""Seconds that connecting may take by default."""


async def open_connection(
    url: str, namespace: str, client_id: str, access: Access, timeout: float, *, archive: Path | None = None
) -> tuple[Log, Blobs, Results]:
    """Connect to a platform, and return its log, its store of texts and its store of results.

    Raises `NotConnectedError` within `timeout` seconds if that fails, and `NotPermitted` if the server denies a
    permission. No connection stays open then.
    """
    log: Log | None = None
    try:
        async with within(timeout):
            with jetstream_needed(url):
                name = f"{namespace}-client-{client_id}"
                log = await Log.connect(url, namespace, patient=False, name=name, access=access, archive=archive)
                return log, await Blobs.open(log, client_id), await Results.open(log)
    except BaseException as error:
        if log is not None:
            await log.close()
        reason = _reason(error, log, namespace, timeout)
        if reason is None:
            raise
        raise reason from error


def _reason(error: BaseException, log: Log | None, namespace: str, timeout: float) -> ClientError | None:
    """Return the `ClientError` to raise for an error while connecting; None if the error has another cause."""
    if log is not None and log.denied and isinstance(error, NatsError | TimeoutError):
        return NotPermitted(f"the NATS server does not permit this user {log.denied[0]}")
    match error:
        case UnreachableError():
            return NotConnectedError(str(error))
        case APIError():
            where = f"the NATS server holds no platform of the namespace {namespace!r}"
            return NotConnectedError(f"{where}; run `nemuri up` against it first")
        case TimeoutError():
            return NotConnectedError(f"the platform did not answer within {timeout:g} s; check NATS_URL")
        case NatsError() | ValueError() | OSError():
            said = " ".join(str(error).split())[:200] or type(error).__name__
            return NotConnectedError(f"the NATS server cannot be used: {said}; check NATS_URL")
    return None
