"""Pulling messages from a stream: stretch after stretch, bounded in bytes, and never with a gap."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Self
from uuid import uuid4

import orjson
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.js import JetStreamContext, api

from nemuri.infra.connection import TRANSFERRED

STRETCH = 500
"""Messages of one stretch, at most."""
STRETCH_BYTES = 8 * 1024 * 1024
"""Bytes of one stretch, at most: a server cuts off a client that it owes too many."""
LINGER = 1.0
"""Seconds that the server waits for something new before it says that there is nothing."""
PATIENCE = 5.0
"""Seconds that an answer of the server may take beyond that."""
_NOTHING_MORE = ("404", "408")
_STILL_THERE = "100"
_ENOUGH = ("message size exceeds maxbytes", "batch completed")


class InterruptedPullError(ConnectionError):
    """The server lost this reader, or a message was lost on the way: read again from the last place seen."""


@dataclass(slots=True)
class Pull:
    """A reader of its own, without acknowledgements, that asks for one stretch at a time."""

    connection: Nats
    subscription: Subscription
    inbox: str
    source: str
    requests: int = 0
    received: int = 0
    """Messages so far; the server counts with us."""

    @classmethod
    @asynccontextmanager
    async def of(
        cls, connection: Nats, context: JetStreamContext, stream: str, subjects: Sequence[str], *, after: int
    ) -> AsyncIterator[Self]:
        """A reader of everything on some subjects of a stream after a sequence."""
        name = uuid4().hex
        config = api.ConsumerConfig(
            name=name,
            deliver_policy=api.DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=after + 1,
            ack_policy=api.AckPolicy.NONE,
            filter_subjects=list(subjects),
            inactive_threshold=60.0,
            mem_storage=True,
        )
        await context.add_consumer(stream, config)
        inbox = connection.new_inbox()
        subscription = await connection.subscribe(f"{inbox}.*")
        try:
            yield cls(connection, subscription, inbox, f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{name}")
        finally:
            if not connection.is_closed:
                await subscription.unsubscribe()

    async def present(self) -> list[Msg]:
        """The next messages that are there now, in order; empty when there are none."""
        return await self._ask(STRETCH, max_bytes=STRETCH_BYTES, no_wait=True)

    async def coming(self) -> list[Msg]:
        """The next message as soon as it is there; empty when none has come for a while."""
        return await self._ask(1, expires=int(LINGER * 1e9))

    async def _ask(self, batch: int, **bounds: int) -> list[Msg]:
        """Raises `InterruptedPullError`, and `TimeoutError` when the server is silent."""
        self.requests += 1
        asked = f"{self.inbox}.{self.requests}"
        await self.connection.publish(self.source, orjson.dumps({"batch": batch, **bounds}), reply=asked)
        found: list[Msg] = []
        while len(found) < batch:
            message = await self.subscription.next_msg(timeout=LINGER + PATIENCE)
            if not message.reply.startswith(TRANSFERRED):
                if message.subject == asked and _nothing_more(message):
                    break
                continue
            self.received += 1
            if message.metadata.sequence.consumer != self.received:
                raise InterruptedPullError("a message of the log was lost on the way")
            found.append(message)
        return found


def _nothing_more(said: Msg) -> bool:
    """Whether the server has done with a request; raises when it has done with the reader."""
    status, why = (str((said.headers or {}).get(name, "")) for name in ("Status", "Description"))
    if status == _STILL_THERE:
        return False
    if status not in _NOTHING_MORE and why.lower() not in _ENOUGH:
        raise InterruptedPullError(f"the server stopped reading: {status} {why}".strip())
    return True
