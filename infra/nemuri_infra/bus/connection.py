"""Connections to NATS that outlive its outages, and that no client's message can stop."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NoAnswerError
from nats.js.api import Header

from nemuri_infra.bus.access import Access, AccessError, options, servers

TRANSFERRED = "$JS.ACK."
"""Where a message of a stream is acknowledged; what the server itself says about a request has no such address."""
_SERVERS_OWN = frozenset({Header.STATUS.value, Header.DESCRIPTION.value})
"""Headers by which the server speaks of a request; in a message of a stream they are somebody's forgery."""

PING_SECONDS = 10
"""How often it is asked whether the other end is still there; after two asked in vain another connection is made."""
DENIED = "permissions violation"
"""How the driver tells of what the server refused; whoever asked for it hears nothing, and waits in vain."""

REPEATED_AFTER = 60.0
"""Seconds until the same trouble of a connection is logged as a warning again, if it lasts; until then as debug."""
TROUBLES = 100
"""So many different troubles of a connection are told apart."""

# Also part of the client library, which says nothing unless the program around it configures `logging`.
logger = logging.getLogger(__name__)
for _name in ("nemuri", "nats"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


class UnreachableError(Exception):
    """No server answers at the address."""


class Connection(Nats):
    """Reads on, whatever a message's subject and headers are, takes no message of a stream for the server's own, and
    waits for no answer that cannot come any more. `until_connected` waits for a lost connection to come back.

    The driver stops reading for good at headers that are none and at a subject that is no text; it throws away a
    message of a stream with a header `Status` without acknowledging it, so that it comes again for ever and takes a
    place from others; and whoever asked over a connection that is lost waits until the time for it is up.
    """

    def __init__(self) -> None:
        super().__init__()
        self.changed = asyncio.Event()
        """Set whenever the connection is there again, or closed for good."""

    async def _attempt_reconnect(self) -> None:
        """Whoever waits for an answer gets a timeout at once, and may ask again over the next connection."""
        for answer in [*self._resp_map.values()]:
            if not answer.done():
                answer.set_exception(NoAnswerError())
        await super()._attempt_reconnect()
        self.changed.set()

    async def drain(self) -> None:
        """Take nothing more, finish what has come, and close; over a lost connection nothing more can come or go."""
        if self.is_connected:
            await super().drain()
        else:
            await self.close()

    async def _close(self, status: int, do_cbs: bool = True) -> None:  # noqa: FBT001, FBT002 - as the driver calls it
        if self._transport is not None and (self.is_reconnecting or self._transport.at_eof()):
            # The driver would fail on what is left to send, or wait for the end of the transport together with the
            # task that makes another connection, which it cancels; and leave the rest of the connection open.
            self._transport.close()  # type: ignore[no-untyped-call]
            self._transport = None
        await super()._close(status, do_cbs)
        self.changed.set()

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


async def until_connected(connection: Nats) -> None:
    """Return once there is a connection. Raises `ConnectionClosedError` once there will be none any more."""
    while not connection.is_connected:
        if connection.is_closed or not isinstance(connection, Connection):
            raise ConnectionClosedError
        connection.changed.clear()
        await connection.changed.wait()


@dataclass(slots=True)
class Troubles:
    """The troubles of a connection, logged once and then every `REPEATED_AFTER` seconds while they last."""

    about: str = "client"
    """Whose connection it is."""
    now: Callable[[], float] = time.monotonic
    _told: dict[str, float] = field(default_factory=dict)

    def tell(self, trouble: str) -> None:
        """Log a trouble, as a warning unless the same one was a warning shortly before."""
        now = self.now()
        level = logging.DEBUG
        if now >= self._told.get(trouble, now) + REPEATED_AFTER or trouble not in self._told:
            level = logging.WARNING
            self._told[trouble] = now
        while len(self._told) > TROUBLES:
            del self._told[next(iter(self._told))]
        logger.log(level, "NATS (%s): %s", self.about, trouble)

    def over(self) -> None:
        """Log that the connection is there again; what happens after that is news."""
        self._told.clear()
        logger.info("NATS (%s): connected again", self.about)


async def connect(
    url: str, access: Access, *, patient: bool, name: str, lost: asyncio.Event, denied: list[str]
) -> Nats:
    """A connection to NATS that reconnects for ever once it is there."""

    said: list[str] = []
    troubles = Troubles(name)

    async def complain(error: Exception) -> None:
        said[:] = [str(error) or type(error).__name__]
        if DENIED in said[0]:
            denied[:] = [said[0].partition(DENIED)[2].strip()]
        if patient:
            troubles.tell(said[0])

    async def lose() -> None:
        if not connection.is_closed:
            troubles.tell("the connection is lost, and is being made again")

    async def regain() -> None:
        troubles.over()

    async def end() -> None:
        lost.set()

    try:
        chosen = options(url, access)
    except AccessError as error:
        raise UnreachableError(str(error)) from error
    chosen |= {
        "name": name,
        "max_reconnect_attempts": -1,
        "reconnect_time_wait": 0.2,
        "connect_timeout": 2,
        "ping_interval": PING_SECONDS,
        "error_cb": complain,
        "disconnected_cb": lose,
        "reconnected_cb": regain,
        "closed_cb": end,
    }
    connection = Connection()
    if patient:
        await connection.connect(**chosen)
        return connection
    try:
        await connection.connect(**(chosen | {"max_reconnect_attempts": 1}))
    except (OSError, NatsError, TimeoutError) as error:
        why = f" ({said[0]})" if said else ""
        where = ", ".join(servers(url))
        raise UnreachableError(f"no NATS server lets us in at {where}{why}; check NATS_URL") from error
    except asyncio.CancelledError:
        await connection.close()
        raise
    connection.options["max_reconnect_attempts"] = -1  # only the first attempts were to end
    patient = True
    return connection
