"""Recognition of a NATS server without JetStream, which cannot store the log."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from nats.js.errors import ServiceUnavailableError

from nemuri_infra.bus.connection import UnreachableError

OFF = {None, 10039, 10076}
"""Error codes of a server on which JetStream is off, for the server or the account; None if nothing answers."""


@contextmanager
def jetstream_needed(url: str) -> Iterator[None]:
    """Raise `UnreachableError` with the server's address if JetStream is off there."""
    try:
        yield
    except ServiceUnavailableError as error:
        if error.err_code not in OFF:
            raise
        raise UnreachableError(f"JetStream is off on the NATS server at {_address(url)}; start it with -js") from error


def _address(url: str) -> str:
    """Return the host and port of each address, without credentials."""
    return ", ".join(urlsplit(each.strip()).netloc.rpartition("@")[2] or each.strip() for each in url.split(","))
