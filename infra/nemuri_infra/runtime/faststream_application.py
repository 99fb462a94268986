"""A service as a FastStream application: subscribers on its durable consumers, acknowledgements and heartbeats."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import structlog
from faststream import AckPolicy, FastStream
from faststream.exceptions import NackMessage, RejectMessage
from faststream.nats import JStream, NatsBroker, PullSub
from faststream.nats.annotations import NatsMessage
from faststream.nats.security import NatsSecurity, NatsUserPassword
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from nemuri_contracts.codec import AnyEvent, UndecodableError
from nemuri_contracts.queries import Query
from nemuri_infra.bus.access import Credentials, credentials, inbox, sender_of, servers
from nemuri_infra.bus.connection import PING_SECONDS, ConnectionProblems
from nemuri_infra.bus.event_log import ANSWER_SECONDS, Log, message_id
from nemuri_infra.bus.faststream_broker import Broker, Handler
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.protocol import ModelUnavailable
from nemuri_infra.observability.deliveries import Delivery, delivery
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.projections.progress import BehindError
from nemuri_infra.runtime.fair_turns import CrowdedError, FairSlots
from nemuri_infra.runtime.outage_errors import is_outage
from nemuri_infra.runtime.provisioning import Durable
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import EventProcessor, GaveUpError, Service
from nemuri_infra.stores.dead_letters import DeadLetters, dead_letter_of, with_event_details

DRAIN_SECONDS = 20.0
"""Seconds that a stopping service gets to finish the events in work.

Unfinished events are redelivered after `ack_wait` seconds.
"""
MAX_BACKOFF_SECONDS = 30.0
"""Maximum number of seconds until an event is redelivered."""
MAX_MODEL_BACKOFF_SECONDS = 120.0
"""Maximum number of seconds until an event is redelivered if a model provider was unavailable.

It is longer than `MAX_BACKOFF_SECONDS` because each attempt may cost money.
"""
EXTRA_SLOTS_DIVISOR = 4
"""Divisor that gives the additional slots of a worker: `concurrency // EXTRA_SLOTS_DIVISOR` beyond `concurrency`.

One client gets at most `concurrency` slots, so the additional slots always stay free for other clients.
"""
QUEUE_FACTOR = 3
"""Maximum number of waiting events of one client in one worker, as a multiple of the service's slots."""
HELD_FACTOR = 8
"""Maximum number of events that one worker holds, in work or waiting, as a multiple of the service's slots."""
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
    logger.critical("halted", service=name, why=resources.halted[name])


def _consume(broker: NatsBroker, durable: Durable, processor: EventProcessor, prefix: str) -> None:
    options: dict[str, Any] = {"max_workers": HELD_FACTOR * durable.concurrency} if durable.concurrency > 1 else {}
    turns = _slots_for(durable.concurrency)
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
        await _take(message, processor, turns)

    subscriber(Handler(handle))
    if durable.concurrency > 1:
        _keep_alive_while_held(subscriber, processor.resources.settings.ack_wait)
        _give_back_when_stopped(subscriber, turns)


def _slots_for(concurrency: int) -> FairSlots:
    """Return the slots of one worker for a service with this concurrency. No client can occupy all of them."""
    return FairSlots(
        concurrency + concurrency // EXTRA_SLOTS_DIVISOR, share=concurrency, max_queue=QUEUE_FACTOR * concurrency
    )


def _give_back_when_stopped(subscriber: Any, turns: FairSlots) -> None:
    """Make `subscriber.stop` first reject the events that wait for a slot, so that another worker gets them at once."""
    stop = subscriber.stop

    async def stopped() -> None:
        turns.close()
        await stop()

    subscriber.stop = stopped


def _keep_alive_while_held(subscriber: Any, ack_wait: float) -> None:
    """Make the subscriber send heartbeats for an event that it has pulled but cannot start, because the worker is full.

    Without heartbeats the server would deliver the event to another worker too.
    """
    put = subscriber._put_msg  # noqa: SLF001 - FastStream has no hook between the pull and the handler

    async def held(message: Msg) -> None:
        async with _heartbeat(message, ack_wait):
            await put(message)

    subscriber._put_msg = held  # noqa: SLF001


@dataclass(frozen=True, slots=True)
class _DecodedMessage:
    """A message of the log with its event, or with the decoding error, and the client whose slot it takes."""

    raw: Msg
    event: AnyEvent | UndecodableError
    asker: str


async def _take(message: NatsMessage, processor: EventProcessor, turns: FairSlots) -> None:
    """Wait for a slot of the event's client, then handle the event. Sends heartbeats all the time.

    Raises `NackMessage` if the client has too many events waiting. The event is then redelivered later.
    """
    raw: Msg = message.raw_message
    async with _heartbeat(message, processor.resources.settings.ack_wait):
        arrival = await _decoded(raw, processor.resources, look=turns.busy)
        sequence = raw.metadata.sequence.stream
        try:
            turns.admit(arrival.asker, sequence)
            async with turns.turn(arrival.asker):
                await _handle(arrival, processor, turns)
        except CrowdedError as error:
            processor.resources.metrics.put_off.labels(processor.service.name).inc()
            raise NackMessage(delay=error.delay) from error


async def _decoded(raw: Msg, resources: Resources, *, look: bool) -> _DecodedMessage:
    log = resources.log
    try:
        event = log.decode(raw)
    except UndecodableError as error:
        return _DecodedMessage(raw, error, log.subjects.client_of(raw.subject) or "")
    return _DecodedMessage(raw, event, await resources.clients.of(event, resources.database, look=look))


async def _handle(arrival: _DecodedMessage, processor: EventProcessor, turns: FairSlots) -> None:
    """Handle a message and decide about its acknowledgement.

    If this returns, the message is acknowledged. Raises `RejectMessage` if no attempt can succeed, so that the message
    is not redelivered. Raises `NackMessage` to redeliver it after the backoff.
    """
    raw, place = arrival.raw, (arrival.asker, arrival.raw.metadata.sequence.stream)
    with delivery(processor.service.name, raw, processor.resources.metrics) as seen:
        try:
            await _deliver(arrival, processor, seen)
            seen.outcome = "done"
            turns.forget_event(*place)
        except (UndecodableError, GaveUpError) as error:
            seen.outcome = "gave_up" if isinstance(error, GaveUpError) else "undecodable"
            logger.warning("dead letter", outcome=seen.outcome)
            turns.forget_event(*place)
            raise RejectMessage from error
        except Exception as error:
            delay = _delay(error, raw.metadata.num_delivered)
            if is_outage(error):
                seen.outcome = "waiting"
                logger.info("waiting", why=log_safe(error), seconds=delay)
                turns.put_off(*place, delay)
            else:
                seen.outcome = "fault"
                logger.exception("fault")
            raise NackMessage(delay=delay) from error


def _delay(error: Exception, deliveries: int) -> float:
    """Return the seconds until the event is redelivered after `error`.

    The backoff doubles with each delivery. It is at most `MAX_BACKOFF_SECONDS`. After an unavailable model provider it
    is at least the time that the provider asked for, and at most `MAX_MODEL_BACKOFF_SECONDS`.
    """
    growing = 0.05 * 2.0 ** min(deliveries, 12)
    if isinstance(error, ModelUnavailable):
        return min(MAX_MODEL_BACKOFF_SECONDS, max(error.retry_after or 0.0, growing))
    return min(MAX_BACKOFF_SECONDS, growing)


async def _deliver(arrival: _DecodedMessage, processor: EventProcessor, seen: Delivery) -> None:
    """Pass the message's event to the service. If the service gives it up, store a dead letter and raise `GaveUpError`.

    A message that cannot be decoded raises `UndecodableError` if a client sent it. The one service that consumes all
    client events then stores a dead letter. If a service sent it, `BehindError` is raised and the message waits: it
    comes from a newer version, or it halts the projector until an operator repairs or parks it. A parked message is
    skipped.
    """
    log, letters, service = processor.resources.log, DeadLetters(processor.resources.log), processor.service
    raw, event = arrival.raw, arrival.event
    if isinstance(event, UndecodableError):
        if log.subjects.client_of(raw.subject) is None:
            if await _is_parked(raw, log):
                return
            raise BehindError(str(event)) from event
        if service.consumes_client_events:
            await letters.store(dead_letter_of(service.name, raw, str(event), "Undecodable"), raw.data)
        raise event
    seen.concerns(event)
    try:
        await processor.process(event, raw.metadata.num_delivered)
    except GaveUpError as error:
        letter = dead_letter_of(service.name, raw, str(error), error.fault)
        await letters.store(with_event_details(letter, event, error.attempt, error.faults), raw.data)
        raise


async def _is_parked(raw: Msg, log: Log) -> bool:
    """Return whether an operator has parked a message that cannot be decoded, so that services skip it."""
    return (await log.parked()).covers(message_id(raw.subject, raw.data), raw.metadata.sequence.stream)


@asynccontextmanager
async def _heartbeat(message: NatsMessage | Msg, ack_wait: float) -> AsyncIterator[None]:
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
