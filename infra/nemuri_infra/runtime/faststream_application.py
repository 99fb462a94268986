"""A service as a FastStream application: subscribers on its durable consumers, acknowledgements and heartbeats."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import structlog
from faststream import AckPolicy, FastStream
from faststream.nats import JStream, NatsBroker, PullSub
from faststream.nats.annotations import NatsMessage
from faststream.nats.security import NatsSecurity, NatsUserPassword
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from nemuri_contracts.queries import Query
from nemuri_infra.bus.access import Credentials, credentials, inbox, sender_of, servers
from nemuri_infra.bus.connection import PING_SECONDS, ConnectionProblems
from nemuri_infra.bus.durable_reader import DurableReader
from nemuri_infra.bus.event_log import ANSWER_SECONDS
from nemuri_infra.bus.faststream_broker import Broker, Handler
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.runtime.event_groups import MAX_WAITING
from nemuri_infra.runtime.fair_turns import FairSlots
from nemuri_infra.runtime.message_handling import acknowledge_message, take_message
from nemuri_infra.runtime.provisioning import Durable
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import EventProcessor, Service

DRAIN_SECONDS = 20.0
"""Seconds that a stopping service gets to finish the events in work.

Unfinished events are redelivered after `ack_wait` seconds.
"""
EXTRA_SLOTS_DIVISOR = 4
"""Divisor that gives the additional slots of a worker: `concurrency // EXTRA_SLOTS_DIVISOR` beyond `concurrency`.

One client gets at most `concurrency` slots, so the additional slots always stay free for other clients.
"""
QUEUE_FACTOR = 3
"""Maximum number of waiting events of one client in one worker, as a multiple of the service's slots."""
HELD_FACTOR = 8
"""Maximum number of events that one worker holds, in work or waiting, as a multiple of the service's slots."""
HELD_TOGETHER = 2 * MAX_WAITING
"""Maximum number of events that one worker holds if its service handles events of a kind together.

It is more than one client can let wait.
"""
QUERY_SLOTS = 8
"""Maximum number of queries of one topic that one worker answers concurrently.

For a single client the maximum is two fewer.
"""
MAX_QUEUED_QUERIES = 512
"""Maximum number of one client's queries on one topic that wait in a worker. Further ones are refused; the client may
repeat them later.
"""
MAX_HELD_QUERIES = 8_192
"""Maximum number of queries of one topic that a worker holds, in work or waiting."""

logger = structlog.get_logger()


def application(service: Service, resources: Resources) -> FastStream:
    """Return the service as an application that handles its events, answers its queries and runs its background work.

    The durable consumers of the service must have been provisioned.
    """
    resources = resources.of(service.name)
    known = credentials(str(resources.settings.nats_url))
    prefix = inbox(known.user if known else None)
    broker, processor = _broker(service, resources, known, prefix), EventProcessor(service, resources)
    for durable in service.durables(resources.log.subjects):
        _consume(broker, durable, processor, prefix)
    for kind, topic in service.query_topics():
        _answer(broker, kind, topic, processor)
    return FastStream(broker, lifespan=_lifespan(service, resources), logger=None, serializer=None)


def _broker(service: Service, resources: Resources, known: Credentials | None, prefix: str) -> Broker:
    async def lose() -> None:
        resources.log.lost.set()

    troubles = ConnectionProblems(service.name)

    async def complain(error: Exception) -> None:
        troubles.log_problem(str(error) or type(error).__name__)

    async def regain() -> None:
        troubles.log_recovery()

    access = resources.settings.access
    tls = access.tls()
    return Broker(
        servers(str(resources.settings.nats_url)),
        inbox_prefix=prefix,
        security=NatsUserPassword(*known, ssl_context=tls) if known else NatsSecurity(ssl_context=tls),
        name=f"{resources.settings.namespace}-{service.name}",
        max_reconnect_attempts=-1,
        reconnect_time_wait=1,
        ping_interval=PING_SECONDS,
        graceful_timeout=DRAIN_SECONDS,
        apply_types=False,
        closed_cb=lose,
        error_cb=complain,
        reconnected_cb=regain,
        js_options={"timeout": ANSWER_SECONDS, "domain": access.domain},
        logger=None,
    )


def _lifespan(service: Service, resources: Resources) -> Callable[..., Any]:
    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        if service.background is None:
            yield
            return
        work = asyncio.ensure_future(service.background(resources))
        work.add_done_callback(lambda ended: _report(service.name, ended, resources))
        try:
            yield
        finally:
            await cancel_and_wait(work)

    return lifespan


def _report(name: str, work: "asyncio.Future[None]", resources: Resources) -> None:
    """Log that background work has ended, although it should run until the process stops, and add the service to
    `halted`.

    Does nothing if the work was cancelled.
    """
    if work.cancelled():
        return
    error = work.exception()
    resources.halted[name] = log_safe(error) if error else "it returned"
    resources.ended.set()
    logger.critical("halted", service=name, why=resources.halted[name])


def _consume(broker: NatsBroker, durable: Durable, processor: EventProcessor, prefix: str) -> None:
    turns, several = _slots_for(durable.concurrency), durable.concurrency > 1
    options: dict[str, Any] = {"max_workers": durable.concurrency} if several else {}
    subscriber = broker.subscriber(
        durable.subjects[0],
        stream=JStream(processor.resources.log.subjects.stream, declare=False),
        durable=durable.name,
        pull_sub=PullSub(batch_size=1, timeout=5.0),
        ack_policy=AckPolicy.NACK_ON_ERROR,
        title=durable.name,
        inbox_prefix=f"{prefix}.".encode(),
        **options,
    )

    async def handle(message: NatsMessage) -> None:
        raw: Msg = message.raw_message
        async with _heartbeat(raw, processor.resources.settings.ack_wait):
            await take_message(raw, processor, turns)

    subscriber(Handler(handle))
    if several:
        _read_continuously(subscriber, durable, processor, turns)


def _slots_for(concurrency: int) -> FairSlots:
    """Return the slots of one worker for a service with this concurrency. No client can occupy all of them."""
    return FairSlots(
        concurrency + concurrency // EXTRA_SLOTS_DIVISOR, share=concurrency, max_queue=QUEUE_FACTOR * concurrency
    )


def _read_continuously(subscriber: Any, durable: Durable, processor: EventProcessor, turns: FairSlots) -> None:
    """Let a FastStream subscriber get its messages from a `DurableReader`.

    FastStream requests one message at a time, which takes twice as many messages, and runs each through its own
    middlewares, which takes longer than handling an event. A stopping subscriber first rejects the events that wait for
    a slot, so that another worker gets them at once.
    """
    log, stop = processor.resources.log, subscriber.stop
    readers = list[DurableReader]()

    async def take(raw: Msg) -> None:
        with subscriber.lock:
            await acknowledge_message(raw, processor, turns)

    async def subscribe() -> None:
        connection = subscriber.connection
        requests = f"$JS.API.CONSUMER.MSG.NEXT.{log.subjects.stream}.{durable.name}"
        room = HELD_FACTOR * durable.concurrency if not processor.service.together else HELD_TOGETHER
        wait = processor.resources.settings.ack_wait
        readers.append(DurableReader(connection, requests, connection.new_inbox(), room, wait, take))
        subscriber.add_task(readers[-1].run)

    async def stopped() -> None:
        turns.close()
        for reader in readers:
            await reader.stop()
        await stop()

    subscriber._create_subscription, subscriber.stop = subscribe, stopped  # noqa: SLF001 - FastStream has no hook


@asynccontextmanager
async def _heartbeat(message: Msg, ack_wait: float) -> AsyncIterator[None]:
    """Send a heartbeat for the message every third of `ack_wait` seconds during the context.

    Each heartbeat extends the acknowledgement deadline.
    """

    beating: asyncio.Future[None] | None = None

    async def beat() -> None:
        while True:
            try:
                await message.in_progress()
            except NatsError as error:  # the connection may be back at the next heartbeat
                logger.info("heartbeat failed", why=log_safe(error))
            await asyncio.sleep(ack_wait / 3)

    def begin() -> None:
        nonlocal beating
        beating = asyncio.ensure_future(beat())

    first = asyncio.get_running_loop().call_later(ack_wait / 3, begin)  # most events need none, and a task costs more
    try:
        yield
    finally:
        first.cancel()
        if beating is not None:
            await cancel_and_wait(beating)


def _answer(broker: NatsBroker, kind: type[Query], topic: str, processor: EventProcessor) -> None:
    subject = processor.resources.log.subjects.query(topic)
    subscriber = broker.subscriber(subject, queue=processor.service.name, max_workers=MAX_HELD_QUERIES)
    turns = FairSlots(QUERY_SLOTS, share=QUERY_SLOTS - 2, max_queue=MAX_QUEUED_QUERIES, patient=False)

    async def handle(message: NatsMessage) -> bytes:
        return await processor.answer(kind, message.body, turns, sender_of(message.raw_message))

    subscriber(Handler(handle))
