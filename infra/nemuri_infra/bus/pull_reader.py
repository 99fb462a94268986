"""Pulling messages from a stream: stretch after stretch, bounded in bytes, and never with a gap."""

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

from nemuri_infra.bus.connection import TRANSFERRED

STRETCH = 1_000
"""Messages of one stretch, at most."""
STRETCH_BYTES = 8 * 1024 * 1024
"""Bytes of one stretch, at most: a server cuts off a client that it owes too many."""
AHEAD = 2
"""Stretches that are on their way at the same time while there is more: one is received while one is asked for."""
LINGER = 1.0
"""Seconds that the server waits for something new before it says that there is nothing."""
BEAT = 1.0
"""Seconds after which whoever waits for the server looks whether anything has come."""
PATIENCE = 6
"""Looks in vain after which the server is silent, so longer than it may wait. Looks and not seconds: who was held up
himself hears what has come meanwhile before he says that nothing has."""
IDLE = 60.0
"""Seconds without a request after which the server forgets a reader. It takes a thousand of them on a stream: who reads
a stream often and quickly says that less will do."""
UNHEARD = 50
"""Requests that nobody hears, at most, before a reader that was just made is taken to be gone: in a cluster it takes a
moment until every server knows where it is."""
SOON = 0.1
"""Seconds until such a request is made again."""
_NOBODY = "503"
_NOTHING_MORE = ("404", "408")
_STILL_THERE = "100"
_ENOUGH = ("message size exceeds maxbytes", "batch completed")


class InterruptedPullError(ConnectionError):
    """The server lost this reader, or a message was lost on the way: read again from the last place seen."""


AWAY: Final = (NatsError, TimeoutError, InterruptedPullError)
"""What is raised while the server is away, or has forgotten who reads there."""


@dataclass(slots=True)
class _Stretch:
    """What was asked for at once, and what has come of it."""

    subject: str
    """Where the server says what it has to say about the request."""
    size: int
    request: bytes
    unheard: bool = False
    """Whether it is to be asked for again."""
    messages: list[Msg] = field(default_factory=list)
    ended: bool = False
    """Whether nothing more comes of it."""
    exhausted: bool = False
    """Whether the server had nothing more to give."""


@dataclass(slots=True)
class Pull:
    """A reader of its own, without acknowledgements; what it asks for comes in the order of the log."""

    connection: Nats
    inbox: str
    source: str
    asked: deque[_Stretch] = field(default_factory=deque)
    """Oldest first."""
    requests: int = 0
    unheard: int = 0
    """Requests that nobody heard, as long as none was heard."""
    heard: bool = False
    received: int = 0
    """Messages so far; the server counts with us."""
    flowing: bool = False
    """Whether the last stretch did not reach the end of what is there."""
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
        idle: float = IDLE,
    ) -> AsyncIterator[Self]:
        """A reader of a stream after a sequence, or of what is on some of its subjects.

        Without them it is seven times as fast as with all of them: the server looks each message up for each filter.
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
        await context.add_consumer(stream, config)
        inbox = connection.new_inbox()
        pull = cls(connection, inbox, f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{name}")
        subscription = await connection.subscribe(f"{inbox}.*", cb=pull._receive)
        try:
            yield pull
        finally:
            if not connection.is_closed:
                await subscription.unsubscribe()

    async def present(self) -> list[Msg]:
        """The next messages that are there now, in order; empty when there are none."""
        while len(self.asked) < (AHEAD if self.flowing else 1):
            await self._ask(STRETCH, max_bytes=STRETCH_BYTES, no_wait=True)
        stretch = await self._next()
        self.flowing = not stretch.exhausted
        return stretch.messages

    async def coming(self) -> list[Msg]:
        """The next message as soon as it is there; empty when none has come for a while."""
        if not self.asked:
            await self._ask(1, expires=int(LINGER * 1e9))
        return (await self._next()).messages

    async def _ask(self, batch: int, **bounds: int) -> None:
        self.requests += 1
        stretch = _Stretch(f"{self.inbox}.{self.requests}", batch, orjson.dumps({"batch": batch, **bounds}))
        self.asked.append(stretch)
        await self._request(stretch)

    async def _request(self, stretch: _Stretch) -> None:
        stretch.unheard = False
        await self.connection.publish(self.source, stretch.request, reply=stretch.subject)

    async def _next(self) -> _Stretch:
        """The oldest stretch once it is whole.

        Raises `InterruptedPullError`, and `TimeoutError` when the server is silent.
        """
        in_vain = 0
        while not self.asked[0].ended:
            seen = self.received
            try:
                async with asyncio.timeout(BEAT):
                    await self.news.wait()
            except TimeoutError:
                in_vain = in_vain + 1 if self.received == seen else 0
                if in_vain == PATIENCE:
                    raise
            self.news.clear()
            if self.failure is not None:
                raise self.failure
            for stretch in [each for each in self.asked if each.unheard]:
                await asyncio.sleep(SOON)  # the servers tell nobody when all of them know
                await self._request(stretch)
        return self.asked.popleft()

    async def _receive(self, message: Msg) -> None:
        """Put a message where it belongs; what goes wrong is raised where it is waited for."""
        try:
            if message.reply.startswith(TRANSFERRED):
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
        stretch = next((each for each in self.asked if not each.ended), None)
        if stretch is None:
            raise InterruptedPullError("the server sent what nobody asked for")
        stretch.messages.append(message)
        if len(stretch.messages) == stretch.size:
            self._end(stretch)

    def _hear(self, said: Msg) -> None:
        """Take note of what the server says of a request; it raises when it has done with the reader."""
        stretch = next((each for each in self.asked if each.subject == said.subject and not each.ended), None)
        if stretch is not None and not self.heard and self.unheard < UNHEARD and _status(said) == _NOBODY:
            self.unheard, stretch.unheard = self.unheard + 1, True
            self.news.set()
            return
        self.heard, over = True, _nothing_more(said)
        if over is not None and stretch is not None:
            stretch.exhausted = over
            self._end(stretch)

    def _end(self, stretch: _Stretch) -> None:
        stretch.ended = True
        self.news.set()


def _status(said: Msg) -> str:
    return str((said.headers or {}).get("Status", ""))


def _nothing_more(said: Msg) -> bool | None:
    """Whether a request ended for want of messages, or in some other way; None while it goes on.

    Raises when the server has done with the reader.
    """
    status, why = _status(said), str((said.headers or {}).get("Description", ""))
    if status == _STILL_THERE:
        return None
    if status in _NOTHING_MORE:
        return True
    if why.lower() not in _ENOUGH:
        raise InterruptedPullError(f"the server stopped reading: {status} {why}".strip())
    return False
