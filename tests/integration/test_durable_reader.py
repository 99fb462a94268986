"""The reader of a durable consumer holds a limited number of messages, keeps them alive, and gives back the others."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from nats.aio.msg import Msg
from nats.js.api import AckPolicy, ConsumerConfig, ConsumerInfo

from nemuri_infra.bus.durable_reader import DurableReader
from nemuri_infra.bus.event_log import Log
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import eventually, opened_log

pytestmark = pytest.mark.connected
ACK_WAIT = 1.0


@dataclass
class Desk:
    """A handler of messages that waits for the test before it acknowledges."""

    open: asyncio.Event = field(default_factory=asyncio.Event)
    held: int = 0
    most: int = 0
    deliveries: list[int] = field(default_factory=list)

    async def take(self, message: Msg) -> None:
        """Hold the message until the desk is open, then acknowledge it."""
        self.deliveries.append(message.metadata.num_delivered)
        self.held += 1
        self.most = max(self.most, self.held)
        await self.open.wait()
        self.held -= 1
        await message.ack()


@asynccontextmanager
async def reading(log: Log, take: Callable[[Msg], Awaitable[None]], room: int) -> AsyncIterator[DurableReader]:
    """Read a new durable consumer of the log during the context."""
    stream = log.subjects.stream
    wanted = ConsumerConfig(durable_name="desk", ack_policy=AckPolicy.EXPLICIT, ack_wait=ACK_WAIT)
    await log.stream.add_consumer(stream, wanted)
    requests = f"$JS.API.CONSUMER.MSG.NEXT.{stream}.desk"
    reader = DurableReader(log.connection, requests, room, ACK_WAIT, take)
    running = asyncio.ensure_future(reader.run())
    try:
        yield reader
    finally:
        await cancel_and_wait(running)


async def known(log: Log) -> ConsumerInfo:
    """Return the server's state of the consumer."""
    info: ConsumerInfo = await log.stream.consumer_info(log.subjects.stream, "desk")
    return info


async def publish(log: Log, number: int) -> None:
    """Publish messages of a client."""
    for each in range(number):
        await log.stream.publish(f"{log.subjects.namespace}.client.-.ann.note", str(each).encode())


async def test_a_reader_holds_as_many_messages_as_it_has_room_for(settings: Settings) -> None:
    """At most `room` messages are held at a time. All are handled once, the later ones without a further request."""
    async with opened_log(settings) as log:
        desk = Desk()
        await publish(log, 10)
        async with reading(log, desk.take, room=4):

            async def full() -> bool:
                """Return True once the reader holds as many messages as it may."""
                return desk.held == 4

            await eventually(full)
            assert (await known(log)).num_ack_pending == 4
            desk.open.set()
            await publish(log, 10)

            async def done() -> bool:
                """Return True once all messages are acknowledged."""
                info = await known(log)
                return not info.num_pending and not info.num_ack_pending

            await eventually(done)
    assert desk.most == 4
    assert desk.deliveries == [1] * 20


async def test_a_held_message_is_not_delivered_again(settings: Settings) -> None:
    """Heartbeats keep a held message from being delivered again, although it is held for longer than `ack_wait`."""
    async with opened_log(settings) as log:
        desk = Desk()
        await publish(log, 1)
        async with reading(log, desk.take, room=4):
            beats = await log.connection.subscribe("$JS.ACK.*.desk.>")
            for _ in range(6):  # heartbeats come three times in `ack_wait`
                await beats.next_msg(timeout=10)
            assert (await known(log)).num_redelivered == 0
            desk.open.set()
    assert desk.deliveries == [1]


async def test_a_stopped_reader_receives_nothing_more(settings: Settings) -> None:
    """After `stop`, messages stay on the server for other readers, and the held ones can still be acknowledged."""
    async with opened_log(settings) as log:
        desk = Desk()
        await publish(log, 1)
        async with reading(log, desk.take, room=4) as reader:

            async def held() -> bool:
                """Return True once the first message is held."""
                return desk.held == 1

            await eventually(held)
            await reader.stop()
            await publish(log, 3)
            desk.open.set()
            other = await log.stream.pull_subscribe_bind(durable="desk", stream=log.subjects.stream)
            got = await other.fetch(3, timeout=10)
    assert [each.data for each in got] == [b"0", b"1", b"2"]
    assert desk.deliveries == [1]


async def test_a_reader_continues_after_its_consumer_was_made_again(settings: Settings) -> None:
    """If the consumer is deleted and made again, the reader goes on."""
    async with opened_log(settings) as log:
        desk = Desk()
        desk.open.set()
        async with reading(log, desk.take, room=4):
            await publish(log, 1)

            async def handled() -> bool:
                """Return True once a message was handled."""
                return bool(desk.deliveries)

            await eventually(handled)
            await log.stream.delete_consumer(log.subjects.stream, "desk")
            desk.deliveries.clear()
            wanted = ConsumerConfig(durable_name="desk", ack_policy=AckPolicy.EXPLICIT, ack_wait=ACK_WAIT)
            await log.stream.add_consumer(log.subjects.stream, wanted)
            await eventually(handled)
