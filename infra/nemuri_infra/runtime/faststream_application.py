"""A service as a FastStream application: its queries are subscribers, its events come from readers beside them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import structlog
from faststream import FastStream
from faststream.nats import NatsBroker
from faststream.nats.annotations import NatsMessage

from nemuri_contracts.queries import Query
from nemuri_infra.bus.access import options, sender_of, servers
from nemuri_infra.bus.connection import PING_SECONDS, ConnectionProblems
from nemuri_infra.bus.durable_reader import DurableReader
from nemuri_infra.bus.event_log import ANSWER_SECONDS
from nemuri_infra.bus.faststream_broker import Broker
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.runtime.event_groups import MAX_WAITING
from nemuri_infra.runtime.event_processor import EventProcessor
from nemuri_infra.runtime.fair_turns import FairSlots
from nemuri_infra.runtime.message_handling import handle_message
from nemuri_infra.runtime.provisioning import Durable
from nemuri_infra.runtime.query_answering import QueryAnswering
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Service

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

    The durable consumer of the service must have been provisioned. Its events come from `DurableReader`: a pull
    subscriber of FastStream asks for one message at a time, which takes twice as many messages of the bus, or for a
    batch that it hands over only when it is complete.
    """
    resources = resources.of(service.name)
    broker, processor = _broker(service, resources), EventProcessor(service, resources)
    durable = service.durable(resources.log.subjects)
    reader = None if durable is None else _reader(durable, processor)
    answering = QueryAnswering(processor)
    for kind, topic in service.query_topics():
        _answer(broker, kind, topic, answering)

    async def begin() -> None:
        if reader is not None:
            reader.start(lambda ended: _report(service.name, ended, resources))

    async def end() -> None:
        if reader is not None:
            await reader.stop(DRAIN_SECONDS)

    return FastStream(
        broker,
        lifespan=_lifespan(service, resources),
        after_startup=[begin],
        on_shutdown=[end],
        logger=None,
        serializer=None,
    )


def _broker(service: Service, resources: Resources) -> Broker:
    async def lose() -> None:
        resources.log.lost.set()

    troubles = ConnectionProblems(service.name)

    async def complain(error: Exception) -> None:
        troubles.log_problem(str(error) or type(error).__name__)

    async def regain() -> None:
        troubles.log_recovery()

    url, access = str(resources.settings.nats_url), resources.settings.access
    connection = options(url, access) | {
        "name": f"{resources.settings.namespace}-{service.name}",
        "max_reconnect_attempts": -1,
        "reconnect_time_wait": 1,
        "ping_interval": PING_SECONDS,
        "closed_cb": lose,
        "error_cb": complain,
        "reconnected_cb": regain,
    }
    return Broker(
        servers(url),
        connection=connection,
        graceful_timeout=DRAIN_SECONDS,
        apply_types=False,
        serializer=None,  # Otherwise pydantic builds a model for each handler, which takes a quarter of a start.
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


def _reader(durable: Durable, processor: EventProcessor) -> DurableReader:
    """Return a reader of a durable consumer. A stopping reader first gives back the events that wait for a slot, so
    that another worker gets them at once.
    """
    service, log = processor.service, processor.resources.log
    turns = _slots_of(service)
    return DurableReader(
        log.connection,
        f"{log.api_prefix}.CONSUMER.MSG.NEXT.{log.subjects.stream}.{durable.name}",
        HELD_TOGETHER if service.together else HELD_FACTOR * service.concurrency,
        processor.resources.settings.ack_wait,
        partial(handle_message, processor=processor, turns=turns),
        turns.close,
    )


def _slots_of(service: Service) -> FairSlots:
    """Return the slots of one worker of a service. No client can occupy all of them, or an agent gets one at a time."""
    most = service.concurrency
    share = 1 if service.one_per_agent else most
    return FairSlots(most + most // EXTRA_SLOTS_DIVISOR, share, max_queue=QUEUE_FACTOR * most)


def _answer(broker: NatsBroker, kind: type[Query], topic: str, answering: QueryAnswering) -> None:
    subject = answering.resources.log.subjects.query(topic)
    turns = FairSlots(QUERY_SLOTS, share=QUERY_SLOTS - 2, max_queue=MAX_QUEUED_QUERIES, patient=False)

    @broker.subscriber(subject, queue=answering.service.name, max_workers=MAX_HELD_QUERIES, decoder=_undecoded)
    async def handle(message: NatsMessage) -> bytes:
        return await answering.answer(kind, message.body, turns, sender_of(message.raw_message))


async def _undecoded(message: NatsMessage) -> NatsMessage:
    """Return the message itself, so that a handler sees its sender."""
    return message
