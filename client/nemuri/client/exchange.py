"""The exchange of a client with the platform: it appends events to the log and sends queries over the bus."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from cachetools import TTLCache
from nats.aio.msg import Msg
from nats.errors import (
    ConnectionClosedError,
    ConnectionReconnectingError,
    MaxPayloadError,
    NoRespondersError,
    OutboundBufferLimitError,
)
from nats.js.errors import APIError, NoStreamResponseError, ServiceUnavailableError
from opentelemetry.trace import SpanKind
from pydantic import BaseModel, ValidationError

from nemuri.client.deadlines import Expired, note_sent, time_left
from nemuri_contracts.codec import validation_message
from nemuri_contracts.event import ClientEvent
from nemuri_contracts.memory_views import AgentView
from nemuri_contracts.queries import Query, Refusal
from nemuri_infra.bus.connection import until_connected
from nemuri_infra.bus.event_log import Log, TooLargeError
from nemuri_infra.observability.tracing import span

T = TypeVar("T", bound=BaseModel)
R = TypeVar("R")
RETURN_ATTEMPTS = 10
RETURN_PAUSE = 0.3
"""Seconds between two attempts to reach a service that does not respond."""
MAX_AGENTS = 1_000
"""Maximum number of agents that a client knows."""
MIN_ATTEMPT_SECONDS = 0.1
"""Minimum timeout of one attempt, in seconds."""
KNOWN_SECONDS = 10.0
"""Seconds for which a client that gives memories to an agent does not ask for the agent again."""
RETRY_SECONDS = 15.0
"""Seconds for which a call waits for a lost connection or an absent leader of the log before it fails."""
SERVER_AWAY_ERRORS = (
    TimeoutError,
    OSError,
    ConnectionReconnectingError,
    NoRespondersError,
    NoStreamResponseError,
    OutboundBufferLimitError,
    ServiceUnavailableError,
)
"""Errors that mean that the server cannot be reached at present. A message that was sent may still have arrived."""


class ClientError(Exception):
    """A request that cannot be fulfilled. The message gives the reason in one line.

    All errors of the client are of this class or a subclass.

    Example:
        >>> try:
        ...     await client.agents("nobody")
        ... except nemuri.ClientError as error:
        ...     "nobody" in str(error)
        True
    """


class PassingError(ClientError):
    """A request that cannot be answered at present. The same request may succeed a little later."""


class UnknownIdError(ClientError):
    """A request about a task, a memory, an agent or an event that does not exist or was erased.

    Example:
        >>> try:
        ...     await client.agents("nobody")
        ... except nemuri.ClientError as error:
        ...     type(error).__name__
        'UnknownIdError'
    """


class NotConnectedError(PassingError):
    """No connection to a NATS server that holds a platform.

    Example:
        >>> try:
        ...     async with Client.connect("nats://127.0.0.1:1", timeout=5):
        ...         pass
        ... except nemuri.NotConnectedError:
        ...     "start the platform"
        'start the platform'
    """


class CallTimeoutError(PassingError, TimeoutError):
    """A call that did not end within its time limit.

    Example:
        >>> try:
        ...     await client.within(0.000_001).status()
        ... except nemuri.CallTimeoutError as error:
        ...     str(error)
        'status did not end within 1e-06 s'
    """


class NotPermitted(ClientError):  # noqa: N818 - the name states a fact
    """The NATS server denies the client's user a permission. The message is one line."""


def validated(kind: type[T], /, **fields: Any) -> T:
    """Return a model with the given fields. Raises `ClientError` if they are invalid."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise ClientError(validation_message(error)) from error


@dataclass(slots=True)
class Exchange:
    """The connection of one client to the platform. Its queries see every event that it has appended."""

    log: Log
    client_id: str
    newest_sequence: int = 0
    """Highest stream sequence known to this client. Answers to its queries include all events up to it."""
    known_agents: TTLCache[str, AgentView] = field(default_factory=lambda: TTLCache(MAX_AGENTS, KNOWN_SECONDS))
    """The agents to which this client gave memories in the last seconds."""

    @property
    def closed(self) -> bool:
        """True if the connection was closed for good."""
        return self.log.connection.is_closed

    async def append(self, event: ClientEvent) -> int:
        """Append an event in the client's name, and return its sequence when it is on disk.

        Nothing is sent while the connection is lost. Raises `ClientError` if the event is too large, and
        `NotConnectedError` or `PassingError` if the log cannot be reached for `RETRY_SECONDS` seconds. After these two
        errors the event may have arrived nevertheless; it can be appended again under the same id.
        """
        said = event.model_copy(update={"client_id": self.client_id})

        async def append() -> int:
            note_sent(event.event_id)
            return await self.log.append(said)

        with span(event.kind, kind=SpanKind.PRODUCER, client=self.client_id):
            try:
                sequence = await self.retry(append)
            except (TooLargeError, MaxPayloadError) as error:
                raise ClientError(f"{str(error) or 'it is too large'}; split it") from error
        self.newest_sequence = max(self.newest_sequence, sequence)
        return sequence

    async def retry(self, work: Callable[[], Awaitable[R]]) -> R:
        """Call `work`, and repeat the call for up to `RETRY_SECONDS` seconds while the server cannot be reached.

        `work` must be idempotent. Raises the errors of `work`, and `NotConnectedError` or `PassingError` if the server
        stays unreachable.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + RETRY_SECONDS
        while True:
            await self.connected(end - loop.time())
            try:
                return await work()
            except Expired:
                raise
            except SERVER_AWAY_ERRORS as error:
                if loop.time() + RETURN_PAUSE >= end:
                    raise self.failure(error) from error
            await asyncio.sleep(time_left(RETURN_PAUSE))

    async def connected(self, patience: float = RETRY_SECONDS) -> None:
        """Wait up to `patience` seconds until the client is connected.

        Raises `NotConnectedError` if it is still not connected then, and at once if the connection was closed for good.
        """
        limit = time_left(max(patience, 0))
        try:
            async with asyncio.timeout(limit):
                await until_connected(self.log.connection)
        except TimeoutError as error:
            time_left(limit)
            raise self.failure(error) from error
        except ConnectionClosedError as error:
            raise self.failure(error) from error

    async def ask(self, kind: type[Query], answer: type[T], /, **fields: Any) -> T:
        """Send a query and return the answer. It includes the effect of every event that this client has appended.

        Raises `ClientError` if the query is invalid or refused, and `PassingError` if the platform has no answer at
        present.
        """
        query = validated(kind, **({"after": self.newest_sequence} | fields))
        try:
            reply = await self._request(self.log.subjects.query(query.topic), query)
        except NoRespondersError as error:
            raise PassingError(f"no service answers questions about {query.topic}; is the platform running?") from error
        except MaxPayloadError as error:
            raise ClientError(f"the question about {query.topic} is too large; shorten it") from error
        except Expired:
            raise
        except TimeoutError as error:
            if not self.log.connection.is_connected or self.log.denied:
                raise self.failure(error) from error
            raise PassingError(
                f"the platform did not answer within {query.patience:g} s; see `nemuri status`"
            ) from error
        return _read(reply.data, answer)

    async def _request(self, subject: str, query: Query) -> Msg:
        """Send a query and return the reply.

        If no service responds, the query is repeated for about 3 seconds (`RETURN_ATTEMPTS`), so that a service can
        reconnect after a restart of the server. If the client's own connection is lost, the query is sent again over
        the next one.
        """
        data, loop = query.model_dump_json().encode(), asyncio.get_running_loop()
        end, absences = loop.time() + query.patience, 0
        while True:
            await self.connected(min(end - loop.time(), RETRY_SECONDS))
            try:
                limit = time_left(max(MIN_ATTEMPT_SECONDS, end - loop.time()))
                return await self.log.connection.request(subject, data, timeout=limit)
            except NoRespondersError:
                absences += 1
                if absences > RETURN_ATTEMPTS:
                    raise
                await asyncio.sleep(time_left(RETURN_PAUSE))
            except Expired:
                raise
            except TimeoutError:
                time_left(MIN_ATTEMPT_SECONDS)
                if loop.time() >= end:
                    raise

    def failure(self, error: BaseException) -> ClientError:
        """Return the `ClientError` to raise for an error of the connection. Its message is one line."""
        if self.log.denied:
            return NotPermitted(f"the NATS server does not permit this user {self.log.denied[0]}")
        if self.closed:
            return NotConnectedError("this client is closed; connect again")
        if not self.log.connection.is_connected:
            return NotConnectedError("the connection to the NATS server is lost; see `nemuri status`")
        if isinstance(error, SERVER_AWAY_ERRORS):
            return PassingError("the NATS server does not answer; see `nemuri status`")
        said = error.description if isinstance(error, APIError) and error.description else str(error)
        return PassingError(f"the NATS server refuses: {' '.join(said.split())[:200] or type(error).__name__}")


def _read(data: bytes, kind: type[T]) -> T:
    try:
        return kind.model_validate_json(data)
    except ValidationError:
        refusal = Refusal.model_validate_json(data)
        if refusal.passing:
            raise PassingError(refusal.refused) from None
        raise (UnknownIdError if refusal.missing else ClientError)(refusal.refused) from None
