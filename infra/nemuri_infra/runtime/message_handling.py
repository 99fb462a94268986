"""Handling of one message of the log by a service: decoding, a slot, the handler, and the acknowledgement."""

from contextlib import nullcontext
from dataclasses import dataclass

import structlog
from faststream.exceptions import NackMessage, RejectMessage
from nats.aio.msg import Msg

from nemuri_contracts.codec import AnyEvent, UndecodableError
from nemuri_infra.bus.event_log import Log, message_id
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.failures import ModelUnavailable
from nemuri_infra.observability.deliveries import Delivery, delivery
from nemuri_infra.projections.progress import BehindError
from nemuri_infra.runtime.fair_turns import CrowdedError, FairSlots
from nemuri_infra.runtime.outage_errors import is_outage
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import EventProcessor, GaveUpError
from nemuri_infra.stores.dead_letters import DeadLetters, dead_letter_of, with_event_details

MAX_BACKOFF_SECONDS = 30.0
"""Maximum number of seconds until an event is redelivered."""
MAX_MODEL_BACKOFF_SECONDS = 120.0
"""Maximum number of seconds until an event is redelivered if a model provider was unavailable.

It is longer than `MAX_BACKOFF_SECONDS` because each attempt may cost money.
"""

logger = structlog.get_logger()


async def acknowledge_message(raw: Msg, processor: EventProcessor, turns: FairSlots) -> None:
    """Handle a message of the log, and acknowledge it or have it redelivered."""
    try:
        await take_message(raw, processor, turns)
    except RejectMessage:
        await raw.term()
    except NackMessage as error:
        await raw.nak(error.extra_options["delay"])
    else:
        await raw.ack()


@dataclass(frozen=True, slots=True)
class _DecodedMessage:
    """A message of the log with its event, or with the decoding error, and the client whose slot it takes."""

    raw: Msg
    event: AnyEvent | UndecodableError
    asker: str


async def take_message(raw: Msg, processor: EventProcessor, turns: FairSlots) -> None:
    """Wait for a slot of the event's client, then handle the event. Events that are handled together need no slot.

    If this returns, the message is to be acknowledged. Raises `RejectMessage` or `NackMessage` like `_handle`, and
    `NackMessage` if the client has too many events waiting.
    """
    arrival = await _decoded(raw, processor.resources, look=turns.busy)
    sequence = raw.metadata.sequence.stream
    try:
        turns.admit(arrival.asker, sequence)
        async with nullcontext() if type(arrival.event) in processor.service.together else turns.turn(arrival.asker):
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
        except CrowdedError:
            seen.outcome = "waiting"
            raise
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
