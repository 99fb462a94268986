"""A connection to NATS that no client's message can stop."""

from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.js.api import Header

TRANSFERRED = "$JS.ACK."
"""Where a message of a stream is acknowledged; what the server itself says about a request has no such address."""
_SERVERS_OWN = frozenset({Header.STATUS.value, Header.DESCRIPTION.value})
"""Headers by which the server speaks of a request; in a message of a stream they are somebody's forgery."""


class Connection(Nats):
    """Reads on, whatever a message's subject and headers are, and takes no message of a stream for the server's own.

    The driver stops reading for good at headers that are none and at a subject that is no text; and it throws away a
    message of a stream with a header `Status` without acknowledging it, so that it comes again for ever and takes a
    place from others.
    """

    async def _process_headers(self, headers: bytes) -> dict[str, str] | None:
        """Headers that are none are as good as no headers."""
        try:
            return await super()._process_headers(headers)
        except (IndexError, ValueError):
            return None

    def _build_message(
        self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: dict[str, str] | None
    ) -> Msg:
        if headers and reply.startswith(TRANSFERRED.encode()):
            headers = {name: value for name, value in headers.items() if name not in _SERVERS_OWN}
        subject = subject.decode(errors="backslashreplace").encode()
        built: Msg = super()._build_message(sid, subject, reply, data, headers)
        return built
