"""How the client talks: events onto the log, questions over the bus, and what comes back for each."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

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
from nemuri_contracts.codec import complaint
from nemuri_contracts.event import ClientEvent
from nemuri_contracts.queries import Query, Refusal
from nemuri_infra.bus.connection import until_connected
from nemuri_infra.bus.event_log import Log, TooLargeError
from nemuri_infra.observability.tracing import span

T = TypeVar("T", bound=BaseModel)
R = TypeVar("R")
RETURN_ATTEMPTS = 10
RETURN_PAUSE = 0.3
"""Seconds between two attempts to reach a service while none is there."""
SHORTEST = 0.1
"""Seconds that an attempt has at least."""
PATIENCE = 15.0
"""Seconds that a lost connection, or a log without a leader, has to come back before a call fails."""
AWAY = (
    TimeoutError,
    OSError,
    ConnectionReconnectingError,
    NoRespondersError,
    NoStreamResponseError,
    OutboundBufferLimitError,
    ServiceUnavailableError,
)
"""What says that the server is away for now. What was sent may have arrived all the same."""


class ClientError(Exception):
    """What was asked cannot be done; the text says why in one line."""


class PassingError(ClientError):
    """There is no answer for now; the same question may well have one a little later."""


class NotConnectedError(PassingError):
    """There is no connection to the platform's NATS server, or to none that holds a platform."""


class CallTimeoutError(PassingError, TimeoutError):
    """A call did not end within the time that it was given."""


class NotPermitted(ClientError):  # noqa: N818 - said as the fact that it is
    """The user that the address names may not do this; the message is one line."""


def checked(kind: type[T], **fields: Any) -> T:
    """The model made of the fields; raises `ClientError`."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise ClientError(complaint(error)) from error


@dataclass(slots=True)
class Exchange:
    """One client's side of the bus; it reads what it wrote."""

    log: Log
    client_id: str
    seen: int = 0
    """The newest place in the log that this client knows of."""

    @property
    def closed(self) -> bool:
        """Whether the connection was closed for good."""
        return self.log.connection.is_closed

    async def say(self, event: ClientEvent) -> None:
        """Append an event in the client's name; returns once it is on disk.

        Nothing is sent while the connection is lost. Raises `ClientError`, and `NotConnectedError` where the log is
        away for longer than `PATIENCE`; the event may have arrived then, and may be said again under its id.
        """
        said = event.model_copy(update={"client_id": self.client_id})

        async def append() -> int:
            note_sent(event.event_id)
            return await self.log.append(said)

        with span(event.kind, kind=SpanKind.PRODUCER, client=self.client_id):
            try:
                sequence = await self.repeated(append)
            except (TooLargeError, MaxPayloadError) as error:
                raise ClientError(f"{str(error) or 'it is too large'}; divide it") from error
        self.seen = max(self.seen, sequence)

    async def repeated(self, work: Callable[[], Awaitable[R]]) -> R:
        """Do work that does no harm when it is done twice; again while the server is away, for `PATIENCE` seconds.

        Raises what the work raises, and `NotConnectedError` or `PassingError` where the server stays away.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + PATIENCE
        while True:
            await self.connected(end - loop.time())
            try:
                return await work()
            except Expired:
                raise
            except AWAY as error:
                if loop.time() + RETURN_PAUSE >= end:
                    raise self.failure(error) from error
            await asyncio.sleep(time_left(RETURN_PAUSE))

    async def connected(self, patience: float = PATIENCE) -> None:
        """Return as soon as there is a connection. Raises `NotConnectedError`, at once where it was closed."""
        limit = time_left(max(patience, 0))
        try:
            async with asyncio.timeout(limit):
                await until_connected(self.log.connection)
        except TimeoutError as error:
            time_left(limit)
            raise self.failure(error) from error
        except ConnectionClosedError as error:
            raise self.failure(error) from error

    async def ask(self, kind: type[Query], answer: type[T], **fields: Any) -> T:
        """The answer to a question, from views that know all that this client said.

        Raises `ClientError`, and `PassingError` where only the platform has no answer for now.
        """
        query = checked(kind, **({"after": self.seen} | fields))
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
        """Services that were cut off from a restarted server get some seconds to come back.

        Where our own connection is lost meanwhile, the question is put again over the next one.
        """
        data, loop = query.model_dump_json().encode(), asyncio.get_running_loop()
        end, absences = loop.time() + query.patience, 0
        while True:
            await self.connected(min(end - loop.time(), PATIENCE))
            try:
                limit = time_left(max(SHORTEST, end - loop.time()))
                return await self.log.connection.request(subject, data, timeout=limit)
            except NoRespondersError:
                absences += 1
                if absences > RETURN_ATTEMPTS:
                    raise
                await asyncio.sleep(time_left(RETURN_PAUSE))
            except Expired:
                raise
            except TimeoutError:
                time_left(SHORTEST)
                if loop.time() >= end:
                    raise

    def failure(self, error: BaseException) -> ClientError:
        """Return what an error of the connection means for a caller, in one line."""
        if self.log.denied:
            return NotPermitted(f"the NATS server does not permit this user {self.log.denied[0]}")
        if self.closed:
            return NotConnectedError("this client is closed; connect again")
        if not self.log.connection.is_connected:
            return NotConnectedError("the connection to the NATS server is lost; see `nemuri status`")
        if isinstance(error, AWAY):
            return PassingError("the NATS server does not answer; see `nemuri status`")
        said = error.description if isinstance(error, APIError) and error.description else str(error)
        return PassingError(f"the NATS server refuses: {' '.join(said.split())[:200] or type(error).__name__}")


def _read(data: bytes, kind: type[T]) -> T:
    try:
        return kind.model_validate_json(data)
    except ValidationError:
        refusal = Refusal.model_validate_json(data)
        raise (PassingError if refusal.passing else ClientError)(refusal.refused) from None
