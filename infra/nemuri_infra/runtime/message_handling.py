"""Handling of one message of the log by a service: decoding, a slot, the handler, and the acknowledgement."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial

import structlog
from nats.aio.msg import Msg

from nemuri_contracts.codec import AnyEvent, UndecodableError
from nemuri_infra.bus.log_batch import message_id
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.failures import ModelUnavailable
from nemuri_infra.observability.deliveries import Delivery, delivery
from nemuri_infra.projections.progress import BehindError
from nemuri_infra.runtime.event_processor import EventProcessor, GaveUpError
from nemuri_infra.runtime.fair_turns import CrowdedError, FairSlots
from nemuri_infra.runtime.outage_errors import is_outage
from nemuri_infra.stores.dead_letters import DeadLetters, dead_letter_of, with_event_details

MAX_BACKOFF_SECONDS = 30.0
"""Maximum number of seconds until an event is redelivered."""
MAX_MODEL_BACKOFF_SECONDS = 120.0
"""Maximum number of seconds until an event is redelivered if a model provider was unavailable.

It is longer than `MAX_BACKOFF_SECONDS` because each attempt may cost money.
"""

logger = structlog.get_logger()


Settlement = Callable[[], Awaitable[None]]
"""The acknowledgement, the rejection or the redelivery of a message, when it is called."""


@dataclass(slots=True)
class _Arrival:
    """A message of the log with its event, or with the decoding error, and how it is to be settled."""

    raw: Msg
    event: AnyEvent | UndecodableError
    party: str
    """The client whose slot the event takes, or the agent if the service handles one event of an agent at a time."""
    settle: Settlement

    @property
    def place(self) -> tuple[str, int]:
        """Return the party, and the sequence of the message."""
        return self.party, self.raw.metadata.sequence.stream


async def handle_message(raw: Msg, processor: EventProcessor, turns: FairSlots) -> None:
    """Wait until the past of the event is known, then for a slot of its client; handle the event, and settle its
    message.

    Events that do not count, and those that are handled together, need no slot. The message is redelivered if the
    client has too many events waiting.
    """
    arrival, resources = await _arrival(raw, processor, look=turns.busy), processor.resources
    event = arrival.event
    try:
        with delivery(processor.service.name, raw, resources.metrics) as seen:
            async with _settlement(arrival, processor, turns, seen):
                if isinstance(event, UndecodableError):
                    await _refuse(event, raw, processor)
                else:
                    seen.concerns(event)
                    turns.admit(*arrival.place)
                    slot = nullcontext() if processor.is_grouped(event) else turns.turn(arrival.party)
                    await processor.process(event, raw.metadata.num_delivered, slot)
    except CrowdedError as error:
        resources.metrics.put_off.labels(processor.service.name).inc()
        arrival.settle = partial(raw.nak, error.delay)
    await arrival.settle()


async def _arrival(raw: Msg, processor: EventProcessor, *, look: bool) -> _Arrival:
    resources, log = processor.resources, processor.resources.log
    try:
        event = log.decode(raw)
    except UndecodableError as error:
        return _Arrival(raw, error, log.subjects.client_of(raw.subject) or "", raw.ack)
    if processor.service.one_per_agent and event.agent_id is not None:
        return _Arrival(raw, event, event.agent_id, raw.ack)
    return _Arrival(raw, event, await resources.clients.of(event, resources.database, look=look), raw.ack)


@asynccontextmanager
async def _settlement(
    arrival: _Arrival, processor: EventProcessor, turns: FairSlots, seen: Delivery
) -> AsyncIterator[None]:
    """Decide how the message is settled after what happens in the context.

    It is acknowledged, unless an error is raised: rejected if no attempt can succeed, redelivered after the backoff if
    a dependency is missing or after a fault. Only `CrowdedError` leaves the context.
    """
    try:
        async with _dead_letter(arrival, processor):
            yield
    except (UndecodableError, GaveUpError) as error:
        seen.outcome, arrival.settle = "gave_up" if isinstance(error, GaveUpError) else "undecodable", arrival.raw.term
        logger.warning("dead letter", outcome=seen.outcome)
        turns.forget_event(*arrival.place)
    except CrowdedError:
        seen.outcome = "waiting"
        raise
    except Exception as error:  # noqa: BLE001 - it is logged, and the event handled again
        _redeliver(arrival, error, turns, seen)
    else:
        seen.outcome = "done"
        turns.forget_event(*arrival.place)


@asynccontextmanager
async def _dead_letter(arrival: _Arrival, processor: EventProcessor) -> AsyncIterator[None]:
    """Store a dead letter of the event if the service gives it up in the context."""
    try:
        yield
    except GaveUpError as error:
        letter = dead_letter_of(processor.service.name, arrival.raw, str(error), error.fault)
        if not isinstance(arrival.event, UndecodableError):
            letter = with_event_details(letter, arrival.event, error.attempt, error.faults)
        await DeadLetters(processor.resources.log).store(letter, arrival.raw.data)
        raise


async def _refuse(error: UndecodableError, raw: Msg, processor: EventProcessor) -> None:
    """Raise why a message that cannot be decoded is not handled; return if an operator has parked it.

    A client's message raises `UndecodableError`. The one service that consumes all client events then stores a dead
    letter. A service's message raises `BehindError` and waits: it comes from a newer version, or it halts the projector
    until an operator repairs or parks it.
    """
    log, service = processor.resources.log, processor.service
    if log.subjects.client_of(raw.subject) is None:
        if (await log.parked()).covers(message_id(raw.subject, raw.data), raw.metadata.sequence.stream):
            return
        raise BehindError(str(error)) from error
    if service.consumes_client_events:
        await DeadLetters(log).store(dead_letter_of(service.name, raw, str(error), "Undecodable"), raw.data)
    raise error


def _redeliver(arrival: _Arrival, error: Exception, turns: FairSlots, seen: Delivery) -> None:
    """Log why the handling failed, and let the message be redelivered after the backoff."""
    delay = _delay(error, arrival.raw.metadata.num_delivered)
    if is_outage(error):
        seen.outcome = "waiting"
        logger.info("waiting", why=log_safe(error), seconds=delay)
        turns.put_off(*arrival.place, delay)
    else:
        seen.outcome = "fault"
        logger.error("fault", exc_info=error)
    arrival.settle = partial(arrival.raw.nak, delay)


def _delay(error: Exception, deliveries: int) -> float:
    """Return the seconds until the event is redelivered after `error`.

    The backoff doubles with each delivery. It is at most `MAX_BACKOFF_SECONDS`. After an unavailable model provider it
    is at least the time that the provider asked for, and at most `MAX_MODEL_BACKOFF_SECONDS`.
    """
    growing = 0.05 * 2.0 ** min(deliveries, 12)
    if isinstance(error, ModelUnavailable):
        return min(MAX_MODEL_BACKOFF_SECONDS, max(error.retry_after or 0.0, growing))
    return min(MAX_BACKOFF_SECONDS, growing)
