"""What a NATS server without JetStream means for everybody: it cannot keep the log."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from nats.js.errors import ServiceUnavailableError

from nemuri_infra.bus.connection import UnreachableError

OFF = {None, 10039, 10076}
"""Error codes of a server whose JetStream is off, for everybody or for the account; None when nobody answers at all."""


@contextmanager
def jetstream_needed(url: str) -> Iterator[None]:
    """Raise `UnreachableError`, in words and with the address, where the server turns out to have JetStream off."""
    try:
        yield
    except ServiceUnavailableError as error:
        if error.err_code not in OFF:
            raise
        raise UnreachableError(f"JetStream is off on the NATS server at {_address(url)}; start it with -js") from error


def _address(url: str) -> str:
    """Where it is, without who asks."""
    return ", ".join(urlsplit(each.strip()).netloc.rpartition("@")[2] or each.strip() for each in url.split(","))
