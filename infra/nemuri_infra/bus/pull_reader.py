"""A reader of a stream. It uses an ephemeral pull consumer, reads batches of limited size and detects lost messages."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Self
from uuid import uuid4

import orjson
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext, api

from nemuri_infra.bus.access import API_PREFIX
from nemuri_infra.bus.archive_segment import ArchiveError
from nemuri_infra.bus.connection import ACK_PREFIX

BATCH_MESSAGES = 1_000
"""Maximum number of messages of one batch."""
BATCH_BYTES = 8 * 1024 * 1024
"""Maximum bytes of one batch. The server disconnects a client with too much undelivered data."""
CONCURRENT_REQUESTS = 2
"""Number of batches that are requested in advance while the end of the stream is not reached."""
WAIT_SECONDS = 1.0
"""Seconds that the server waits for a new message before it answers that there is none."""
CHECK_SECONDS = 1.0
"""Seconds between two checks for received messages."""
MAX_SILENT_CHECKS = 6
"""Number of consecutive checks without a message after which reading fails, because the server counts as silent.

Together the checks last longer than `WAIT_SECONDS`. Checks are counted instead of seconds, so that a process that was
suspended can first read the messages that arrived meanwhile.
"""
IDLE_SECONDS = 60.0
"""Seconds without a request after which the server deletes the consumer.

A stream may have at most a thousand consumers, so a caller that opens many short-lived readers passes a smaller number.
"""
MAX_UNANSWERED = 50
"""Maximum number of requests to a new consumer that no server answers. After that the consumer counts as lost.

In a cluster it takes a moment until every server knows a new consumer.
"""
REPEAT_SECONDS = 0.1
"""Seconds until a request that no server answered is repeated."""
_NO_RESPONDERS = "503"
_NO_MESSAGES = ("404", "408")
_IDLE_HEARTBEAT = "100"
_BATCH_COMPLETE = ("message size exceeds maxbytes", "batch completed")


class InterruptedPullError(ConnectionError):
    """The server deleted the consumer, or a message was lost.

    Open a new reader after the last sequence that was read.
    """


READER_ERRORS: Final = (NatsError, TimeoutError, InterruptedPullError, ArchiveError)
"""Errors of a reader if the server is unreachable, the consumer was deleted, a message was lost, or the archive of the
log is missing.
"""


@dataclass(slots=True)
class _BatchRequest:
    """A request for one batch, and the messages received for it."""

    subject: str
    """Reply subject of the request. The server sends the request's status to it."""
    size: int
    request: bytes
    unheard: bool = False
    """True if the request must be repeated because no server answered it."""
    messages: list[Msg] = field(default_factory=list)
    ended: bool = False
    """True if the batch is complete: no more messages will arrive for it."""
    exhausted: bool = False
    """True if the batch is complete because the stream had no more messages."""

    def take(self) -> list[Msg]:
        """Remove and return the messages received so far."""
        taken, self.messages = self.messages, []
        self.size -= len(taken)
        return taken


@dataclass(slots=True)
class Pull:
    """A reader of a stream, without acknowledgements. It returns the messages in the order of the stream."""

    connection: Nats
    inbox: str
    source: str
    server: str | None = None
    """Name of the server on which the consumer lies, and whose copy of the stream it reads; None outside of a cluster.
    """
    asked: deque[_BatchRequest] = field(default_factory=deque)
    """Requested batches that the reader has not returned yet, oldest first."""
    requests: int = 0
    unheard: int = 0
    """Number of requests that no server answered before the consumer's first answer."""
    heard: bool = False
    received: int = 0
    """Number of messages received so far.

    It must equal the consumer sequence of the newest message. Otherwise a message was lost.
    """
    flowing: bool = False
    """True if the last batch ended before the end of the stream, so that more batches are requested in advance."""
    following: bool = False
    """True while a request for messages to come is open."""
    failure: Exception | None = None
    news: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    @asynccontextmanager
    async def of(
        cls,
        connection: Nats,
        context: JetStreamContext,
        stream: str,
        subjects: Sequence[str] = (),
        *,
        after: int,
        idle: float = IDLE_SECONDS,
        prefix: str = API_PREFIX,
    ) -> AsyncIterator[Self]:
        """Create an ephemeral consumer of a stream, and yield a reader of the messages after the sequence `after`.

        With `subjects`, only messages on these subjects are read. Naming all subjects is seven times slower than naming
        none, because the server matches each message against each filter. The server deletes the consumer after `idle`
        seconds without a request. `prefix` is that of JetStream's requests, which `context` must have too.
        """
        name = uuid4().hex
        config = api.ConsumerConfig(
            name=name,
            deliver_policy=api.DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=after + 1,
            ack_policy=api.AckPolicy.NONE,
            filter_subjects=list(subjects) or None,
            inactive_threshold=idle,
            mem_storage=True,
        )
        info = await context.add_consumer(stream, config)
        inbox = connection.new_inbox()
        server = info.cluster.leader if info.cluster else None
        pull = cls(connection, inbox, f"{prefix}.CONSUMER.MSG.NEXT.{stream}.{name}", server)
        subscription = await connection.subscribe(f"{inbox}.*", cb=pull._receive)
        try:
            yield pull
        finally:
            if not connection.is_closed:
                await subscription.unsubscribe()

    async def present(self) -> list[Msg]:
        """Return the next messages that the stream has already, in order; empty at its end. Raises like `_next`."""
        if self.following:
            return []
        while len(self.asked) < (CONCURRENT_REQUESTS if self.flowing else 1):
            await self._ask(BATCH_MESSAGES, max_bytes=BATCH_BYTES, no_wait=True)
        stretch = await self._next()
        self.flowing = not stretch.exhausted
        return stretch.messages

    async def coming(self) -> list[Msg]:
        """Wait for the next messages and return them; empty if none arrives within `WAIT_SECONDS` seconds.

        One request serves all messages of that time, so the reader stays ready while the caller handles the first ones.
        Call it only after `present` has returned nothing. Raises like `_next`.
        """
        if not self.following:
            await self._ask(BATCH_MESSAGES, max_bytes=BATCH_BYTES, expires=int(WAIT_SECONDS * 1e9))
            self.following = True
        stretch = await self._next(partly=True)
        self.following = not stretch.ended
        return stretch.take()

    async def _ask(self, batch: int, **bounds: int) -> None:
        self.requests += 1
        stretch = _BatchRequest(f"{self.inbox}.{self.requests}", batch, orjson.dumps({"batch": batch, **bounds}))
        self.asked.append(stretch)
        await self._request(stretch)

    async def _request(self, stretch: _BatchRequest) -> None:
        stretch.unheard = False
        await self.connection.publish(self.source, stretch.request, reply=stretch.subject)

    async def _next(self, *, partly: bool = False) -> _BatchRequest:
        """Wait until the oldest requested batch is complete, remove it from `asked` and return it.

        With `partly`, return it as soon as it has a message. It stays in `asked` until it is complete.

        Raises `InterruptedPullError` if the server deleted the consumer or a message was lost, and `TimeoutError` if
        the server is silent.
        """
        in_vain = 0
        while not (self.asked[0].ended or (partly and self.asked[0].messages)):
            seen = self.received
            try:
                async with asyncio.timeout(CHECK_SECONDS):
                    await self.news.wait()
            except TimeoutError:
                in_vain = in_vain + 1 if self.received == seen else 0
                if in_vain == MAX_SILENT_CHECKS:
                    raise
            self.news.clear()
            if self.failure is not None:
                raise self.failure
            for stretch in [request for request in self.asked if request.unheard]:
                await asyncio.sleep(REPEAT_SECONDS)  # no event tells when all servers know the consumer
                await self._request(stretch)
        return self.asked.popleft() if self.asked[0].ended else self.asked[0]

    async def _receive(self, message: Msg) -> None:
        """Add a stream message to its batch, or handle the status that the server sent for a request.

        An error is kept in `failure`, and `_next` raises it.
        """
        try:
            if message.reply.startswith(ACK_PREFIX):
                self._add(message)
            else:
                self._hear(message)
        except (InterruptedPullError, NatsError, ValueError) as error:
            self.failure = error
            self.news.set()

    def _add(self, message: Msg) -> None:
        self.heard = True
        self.received += 1
        if message.metadata.sequence.consumer != self.received:
            raise InterruptedPullError("a message of the log was lost on the way")
        stretch = next((request for request in self.asked if not request.ended), None)
        if stretch is None:
            raise InterruptedPullError("the server sent a message that was not requested")
        stretch.messages.append(message)
        if len(stretch.messages) == stretch.size:
            self._end(stretch)
        elif self.following:
            self.news.set()

    def _hear(self, said: Msg) -> None:
        """Handle the status that the server sent for a request.

        Raises `InterruptedPullError` if the server has deleted the consumer.
        """
        stretch = next(
            (
                batch_request
                for batch_request in self.asked
                if batch_request.subject == said.subject and not batch_request.ended
            ),
            None,
        )
        if stretch is not None and not self.heard and self.unheard < MAX_UNANSWERED and _status(said) == _NO_RESPONDERS:
            self.unheard, stretch.unheard = self.unheard + 1, True
            self.news.set()
            return
        self.heard, over = True, _nothing_more(said)
        if over is not None and stretch is not None:
            stretch.exhausted = over
            self._end(stretch)

    def _end(self, stretch: _BatchRequest) -> None:
        stretch.ended = True
        self.news.set()


def _status(said: Msg) -> str:
    return str((said.headers or {}).get("Status", ""))


def _nothing_more(said: Msg) -> bool | None:
    """Return True if the request ended because the stream has no more messages, and False if it ended with a full
    batch.

    Returns None if the request has not ended. Raises `InterruptedPullError` if the server has ended the consumer.
    """
    status, why = _status(said), str((said.headers or {}).get("Description", ""))
    if status == _IDLE_HEARTBEAT:
        return None
    if status in _NO_MESSAGES:
        return True
    if why.lower() not in _BATCH_COMPLETE:
        raise InterruptedPullError(f"the server ended the consumer: {status} {why}".strip())
    return False
