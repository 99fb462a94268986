"""A reader of a durable consumer. One open request lets the server send every message as soon as there is one."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

import orjson
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from nemuri_infra.bus.connection import ACK_PREFIX
from nemuri_infra.process.cancellation import cancel_and_wait

REQUEST_SECONDS = 5.0
"""Seconds after which the server ends a request that it could not fulfil."""
LOST_SECONDS = REQUEST_SECONDS + 2.0
"""Seconds without a message or a status after which a request counts as lost, for example with its connection."""
MAX_BYTES = 8 * 1024 * 1024
"""Maximum bytes of the held messages. The server disconnects a client with too much undelivered data."""
PAUSE_SECONDS = 0.5
"""Seconds until the next request after one that the server refused or that nobody answered."""
_HEARTBEAT: Final = "100"
_ENDED: Final = frozenset({"404", "408"})
"""Statuses of a request that ended without an error."""
_COMPLETE: Final = frozenset({"message size exceeds maxbytes", "batch completed"})

logger = logging.getLogger("nemuri.connection")


def _nothing() -> None:
    """Do nothing."""


@dataclass(slots=True)
class DurableReader:
    """A reader of a durable consumer that holds at most `room` messages at a time.

    It calls `take` for each message, in a task of its own. `take` ends when the message is acknowledged. Until then the
    reader sends heartbeats for the message, so the server delivers it to nobody else.
    """

    connection: Nats
    requests: str
    """Subject for requests to the consumer."""
    room: int
    ack_wait: float
    """Seconds without a heartbeat after which the server delivers a message again."""
    take: Callable[[Msg], Awaitable[None]]
    close: Callable[[], None] = _nothing
    """Function that lets the held messages that wait for something be given back, when the reader stops."""
    _held: dict["asyncio.Future[None]", Msg] = field(default_factory=dict)
    _bytes: int = 0
    """Bytes of the held messages."""
    _open: int = 0
    """Number of messages that the server may still send for the open request; 0 if no request is open."""
    _paused: bool = False
    _stopping: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _subscription: Subscription | None = None
    _inbox: str = ""
    """Subject to which the server sends messages and statuses. It is this reader's own."""
    _running: "asyncio.Future[None] | None" = None

    def start(self, ended: Callable[["asyncio.Future[None]"], object]) -> None:
        """Read in a task of its own. `ended` is called with the task if it ends before `stop`."""
        self._running = asyncio.ensure_future(self.run())
        self._running.add_done_callback(lambda running: None if self._stopping else ended(running))

    async def run(self) -> None:
        """Read until the caller cancels it."""
        self._inbox = self.connection.new_inbox()
        self._subscription = await self.connection.subscribe(self._inbox, cb=self._receive)
        beating = asyncio.ensure_future(self._beat())
        try:
            while True:
                if not self._open and not self._stopping and self._has_room():
                    await self._request(self.room - len(self._held))
                await self._listen()
        finally:
            await cancel_and_wait(beating)

    async def stop(self, seconds: float = 0.0) -> None:
        """Receive no more messages, and give the held ones so many seconds. Messages that were already sent are given
        back to the server; those that are still held then are delivered again after `ack_wait` seconds.
        """
        self._stopping = True
        self.close()
        subscription, self._subscription = self._subscription, None
        if subscription is not None and self.connection.is_connected:
            await subscription.drain()  # type: ignore[no-untyped-call]
        if self._held and seconds:
            await asyncio.wait([*self._held], timeout=seconds)
        if self._running is not None:
            await cancel_and_wait(self._running, *self._held)

    def _has_room(self) -> bool:
        """Return whether at most half of the room is used, so that a request is worth while."""
        return 2 * len(self._held) <= self.room and 2 * self._bytes <= MAX_BYTES

    async def _request(self, number: int) -> None:
        self._open = number
        bounds = {"batch": number, "max_bytes": MAX_BYTES - self._bytes, "expires": int(REQUEST_SECONDS * 1e9)}
        request = orjson.dumps(bounds)
        try:
            await self.connection.publish(self.requests, request, reply=self._inbox)
        except NatsError as error:  # the connection is lost
            logger.debug("request failed: %s", error)
            self._open, self._paused = 0, True

    async def _listen(self) -> None:
        """Wait for a message, for a status or for the end of a message's handling."""
        if self._paused:
            self._paused = False
            await asyncio.sleep(PAUSE_SECONDS)  # no event tells when the server answers again
            return
        try:
            async with asyncio.timeout(LOST_SECONDS):
                await self._news.wait()
        except TimeoutError:
            self._open = 0
        self._news.clear()

    async def _receive(self, message: Msg) -> None:
        if message.reply.startswith(ACK_PREFIX):
            self._open = max(0, self._open - 1)
            if self._stopping:
                await message.nak()
                return
            handling = asyncio.ensure_future(self.take(message))
            self._held[handling] = message
            self._bytes += len(message.data)
            handling.add_done_callback(self._release)
        else:
            self._hear(message.headers or {})
        self._news.set()

    def _hear(self, status: dict[str, str]) -> None:
        code, why = status.get("Status", ""), status.get("Description", "").lower()
        if code != _HEARTBEAT:
            self._open, self._paused = 0, code not in _ENDED and why not in _COMPLETE

    def _release(self, handling: "asyncio.Future[None]") -> None:
        self._bytes -= len(self._held.pop(handling).data)
        if not handling.cancelled() and (error := handling.exception()) is not None:
            # The message is not settled, so it is delivered again.
            logger.info("acknowledgement failed: %s", error, exc_info=None if isinstance(error, NatsError) else error)
        self._news.set()

    async def _beat(self) -> None:
        """Send heartbeats for all held messages, forever. Each one extends the acknowledgement deadline."""
        while True:
            await asyncio.sleep(self.ack_wait / 3)
            for message in [*self._held.values()]:
                try:
                    await message.in_progress()
                except NatsError as error:  # the connection may be back at the next heartbeat
                    logger.info("heartbeat failed: %s", error)
