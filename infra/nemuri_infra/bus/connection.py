"""Connections to NATS that survive outages of the server and malformed messages."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ssl import SSLCertVerificationError
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NoAnswerError
from nats.js.api import Header
from nats.js.errors import ServiceUnavailableError

from nemuri_infra.bus.access import Access, api_prefix, options, servers
from nemuri_infra.bus.key_login import AccessError
from nemuri_infra.process.cancellation import cancel_and_wait

ACK_PREFIX = "$JS.ACK."
"""Prefix of the reply subject of stream messages. The server's own replies to requests do not have it."""
BUCKETS = "$KV."
"""Prefix of the subjects of key-value buckets."""
_SERVER_HEADERS = frozenset({Header.STATUS.value, Header.DESCRIPTION.value})
"""Headers that only the server's own replies may have.

If a stream message has them, its sender has forged them. They are then removed.
"""

PING_SECONDS = 10
"""Seconds between two pings. The connection is replaced after two pings without an answer."""
DENIED = "permissions violation"
"""Part of the driver's error message for a denied permission. The driver writes the message in small letters."""

REPEAT_WARNING_SECONDS = 60.0
"""Seconds after which a lasting problem of a connection is logged as a warning again.

Until then it is logged at level debug.
"""
MAX_PROBLEMS = 100
"""Maximum number of different problems that are remembered for one connection. Above it the oldest are forgotten."""

RECANCEL_SECONDS = 0.2
"""Seconds after which the reconnecting task of a closed connection is cancelled again if it still runs."""

# Clients use this module too, so it prints nothing unless the program configures `logging`.
logger = logging.getLogger("nemuri.connection")
for _name in ("nemuri", "nats"):
    logging.getLogger(_name).addHandler(logging.NullHandler())

JETSTREAM_OFF_CODES = {None, 10039, 10076}
"""Error codes that mean that JetStream is off, on the server or for the account. None means that nothing answered."""


class UnreachableError(Exception):
    """No server accepts the connection, JetStream is off, the server is too old, or a certificate file is unusable."""


class DeniedError(NatsError):
    """The server does not permit a request. It says so to the connection, and never answers the request."""

    def __init__(self, permission: str) -> None:
        super().__init__(f"the NATS server does not permit this user {permission}")


class Connection(Nats):
    """A NATS connection that malformed headers and subjects cannot stop.

    It differs from the driver's connection in six points:

    - It continues to read after malformed headers and after subjects that are not text. The driver stops reading.
    - It drops the headers `Status` and `Description` of a stream message. The driver takes a message with `Status`
      for a reply of the server and drops it without an acknowledgement, so the server redelivers it without end.
    - It fails pending requests as soon as the connection is lost. With the driver they wait for their timeout.
    - It fails a pending request as soon as the server denies it. With the driver it waits for its timeout.
    - It parses headers in a third of the time.
    - It writes to buckets through their JetStream domain, if one is set. Leaf nodes do not pass other writes on.

    `until_connected` waits until a lost connection is back.
    """

    def __init__(self, domain: str | None = None) -> None:
        super().__init__()
        self._domain = domain
        self.changed = asyncio.Event()
        """Set when the connection is restored or is closed for good."""
        self._asked = WeakKeyDictionary[asyncio.Future[Msg], str]()
        """Subjects of the pending requests."""

    async def publish(
        self, subject: str, payload: bytes = b"", reply: str = "", headers: dict[str, str] | None = None
    ) -> None:
        """Publish a message. If it is a request, remember its subject until it is answered."""
        if self._domain is not None and subject.startswith(BUCKETS):
            subject = f"{api_prefix(self._domain)}.{subject}"
        if (answer := self._resp_map.get(reply.rpartition(".")[2])) is not None:
            self._asked[answer] = subject
        await super().publish(subject, payload, reply, headers)

    def deny(self, permission: str) -> None:
        """Fail the pending requests on the subject that a denied permission names, with a `DeniedError`."""
        for answer, subject in [*self._asked.items()]:
            if f'"{subject.lower()}"' in permission and not answer.done():
                answer.set_exception(DeniedError(permission))

    async def _attempt_reconnect(self) -> None:
        """Fail all pending requests with a timeout error at once, then reconnect.

        The callers can repeat the requests over the new connection.
        """
        for answer in [*self._resp_map.values()]:
            if not answer.done():
                answer.set_exception(NoAnswerError())
        await super()._attempt_reconnect()
        self.changed.set()

    async def drain(self) -> None:
        """Stop receiving, handle the messages received so far, and close the connection.

        A connection that is down is closed at once.
        """
        if self.is_connected:
            await super().drain()
        else:
            await self.close()

    async def _close(self, status: int, do_cbs: bool = True) -> None:  # noqa: FBT001, FBT002 - as the driver calls it
        unusable = self.is_connecting or self.is_reconnecting
        if self._transport is not None and (unusable or self._transport.at_eof()):
            # The driver would fail on unsent data, or wait for the transport to close: together with the reconnecting
            # task that it cancels, or without end after a failed handshake. The rest of the connection would then stay
            # open. So the transport is closed here.
            self._transport.close()  # type: ignore[no-untyped-call]
            self._transport = None
        try:
            await super()._close(status, do_cbs)
        finally:
            if (task := self._reconnection_task) is not None and task is not asyncio.current_task():
                # The driver cancels the task only once, and the task may swallow that. Then it would run without
                # end, and keep the event loop from ending.
                await cancel_and_wait(task, repeat=RECANCEL_SECONDS)
        self.changed.set()

    @staticmethod
    def _parse_header_lines(raw: bytes) -> dict[str, str]:
        headers = dict[str, str]()
        for line in raw.split(b"\r\n"):
            name, colon, value = line.partition(b":")
            if colon and name.isascii() and len((key := name.decode().strip()).split()) == 1:
                headers[key] = value.strip().decode(errors="replace")
        return headers

    async def _process_headers(self, headers: bytes) -> dict[str, str] | None:
        """Return the headers of a message; None if they are malformed."""
        try:
            return await super()._process_headers(headers)
        except (IndexError, ValueError):
            return None

    def _build_message(
        self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: dict[str, str] | None
    ) -> Msg:
        if headers and reply.startswith(ACK_PREFIX.encode()):
            headers = {name: value for name, value in headers.items() if name not in _SERVER_HEADERS}
        subject = subject.decode(errors="backslashreplace").encode()
        built: Msg = super()._build_message(sid, subject, reply, data, headers)
        return built


async def until_connected(connection: Nats) -> None:
    """Wait without limit until the connection is up.

    Raises `ConnectionClosedError` if it is closed for good, or if it is down and is not a `Connection`.
    """
    while not connection.is_connected:
        if connection.is_closed or not isinstance(connection, Connection):
            raise ConnectionClosedError
        connection.changed.clear()
        await connection.changed.wait()


@dataclass(slots=True)
class ConnectionProblems:
    """A logger of one connection's problems.

    A problem that lasts is logged as a warning only once every `REPEAT_WARNING_SECONDS` seconds.
    """

    about: str = "client"
    """Name of the connection's owner, for the log messages."""
    now: Callable[[], float] = time.monotonic
    _told: dict[str, float] = field(default_factory=dict)

    def log_problem(self, trouble: str) -> None:
        """Log a problem as a warning.

        It is logged at level debug if the same problem was a warning less than `REPEAT_WARNING_SECONDS` seconds ago.
        """
        now = self.now()
        level = logging.DEBUG
        if now >= self._told.get(trouble, now) + REPEAT_WARNING_SECONDS or trouble not in self._told:
            level = logging.WARNING
            self._told[trouble] = now
        while len(self._told) > MAX_PROBLEMS:
            del self._told[next(iter(self._told))]
        logger.log(level, "NATS (%s): %s", self.about, trouble)

    def log_recovery(self) -> None:
        """Log that the connection is restored, and forget its problems, so that each is a warning when it recurs."""
        self._told.clear()
        logger.info("NATS (%s): reconnected", self.about)


async def connect(
    url: str, access: Access, *, patient: bool, name: str, lost: asyncio.Event, denied: list[str]
) -> Nats:
    """Connect to NATS and return the connection. Once it is established, it reconnects without limit.

    With `patient`, also wait without limit for the first connection. `lost` is set when the connection is closed for
    good. When the server reports a denied permission, it becomes the only item of `denied`, and pending requests
    on its subject fail with a `DeniedError`.

    Raises `UnreachableError` if a certificate file cannot be used, and without `patient` also if no server accepts the
    first attempts.
    """

    said: list[str] = []
    troubles = ConnectionProblems(name)

    async def complain(error: Exception) -> None:
        said[:] = [_reason(error)]
        if DENIED in said[0]:
            permission = said[0].partition(DENIED)[2].strip()
            denied[:] = [permission.replace("for publish", "to publish").replace("for subscription", "to subscribe")]
            connection.deny(denied[0])
        if patient:
            troubles.log_problem(said[0])

    async def lose() -> None:
        if not connection.is_closed:
            troubles.log_problem("the connection is lost; reconnecting")

    async def regain() -> None:
        troubles.log_recovery()

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
    connection = Connection(access.domain)
    if patient:
        await connection.connect(**chosen)
        return connection
    try:
        await connection.connect(**(chosen | {"max_reconnect_attempts": 1}))
    except (OSError, NatsError, TimeoutError) as error:
        why = f" ({said[0]})" if said else ""
        where = ", ".join(servers(url))
        settings = " and ".join(["NATS_URL", *([login.setting] if (login := access.login(url)) else [])])
        raise UnreachableError(f"no NATS server accepts the connection at {where}{why}; check {settings}") from error
    except asyncio.CancelledError:
        await connection.close()
        raise
    connection.options["max_reconnect_attempts"] = -1  # only the first attempts are limited
    patient = True
    return connection


@contextmanager
def jetstream_needed(url: str) -> Iterator[None]:
    """Raise `UnreachableError` with the server's address if code in the context fails because JetStream is off."""
    try:
        yield
    except ServiceUnavailableError as error:
        if error.err_code not in JETSTREAM_OFF_CODES:
            raise
        raise UnreachableError(f"JetStream is off on the NATS server at {_address(url)}; start it with -js") from error


def _reason(error: Exception) -> str:
    """Return what a problem of a connection is, in words."""
    if isinstance(error, SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}; NEMURI_NATS_CA names the authority"
    return str(error) or type(error).__name__


def _address(url: str) -> str:
    """Return the host and port of each address, without credentials."""
    return ", ".join(
        urlsplit(address.strip()).netloc.rpartition("@")[2] or address.strip() for address in url.split(",")
    )
