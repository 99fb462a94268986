"""Decoding of the log's messages."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from nemuri_contracts.codec import AnyEvent, UndecodableError, check_id, decode
from nemuri_contracts.subjects import Subjects
from nemuri_domain.event_sourcing.deduplication import Parked
from nemuri_infra.bus.log_batch import Batch, Unreadable, message_id
from nemuri_infra.bus.stored_message import StoredMessage
from nemuri_infra.process.gc_tuning import collector_off

RECORDED_AT = "Nemuri-Recorded-At"
"""Header with the time at which an imported event was first recorded, in ISO 8601."""


def event_in(stored: StoredMessage, subjects: Subjects) -> AnyEvent:
    """Return the event in a message.

    Raises `UndecodableError` if the message is not a valid event or is on the wrong subject.
    """
    recorded_at = _recorded_at(stored.stored_at, stored.headers)
    client_id = subjects.client_of(stored.subject)
    event = decode(stored.data, recorded_at=recorded_at, sequence=stored.sequence, client_id=client_id)
    if subjects.of(event) != stored.subject:
        raise UndecodableError(f"a {event.kind} does not belong on {stored.subject}")
    check_id(event)
    return event


def time_of(stored: StoredMessage) -> datetime:
    """Return the time at which a message was first recorded, even if it is not an event."""
    try:
        return _recorded_at(stored.stored_at, stored.headers)
    except UndecodableError:
        return stored.stored_at


def batch_of(messages: Iterable[StoredMessage], subjects: Subjects, after: int, until: int, parked: Parked) -> Batch:
    """Return the batch of the messages after the sequence `after`, up to and including `until`, without the parked
    ones.
    """
    events: list[AnyEvent] = []
    unreadable: list[Unreadable] = []
    with collector_off():
        for message in messages:
            try:
                event = event_in(message, subjects)
                if not parked.covers(event.event_id, event.sequence or 0):
                    events.append(event)
            except UndecodableError as error:
                identity = message_id(message.subject, message.data)
                if not parked.covers(identity, message.sequence):
                    unreadable.append(Unreadable(message.sequence, message.subject, str(error), identity))
    return Batch(tuple(events), tuple(unreadable), after, until)


def _recorded_at(appended: datetime, headers: Mapping[str, str] | None) -> datetime:
    """Return the time at which the event was first recorded.

    It is `appended`, or the time in the header `RECORDED_AT` if that is earlier. Raises `UndecodableError` if the
    header is not a time.
    """
    appended = appended.astimezone(UTC)
    imported = (headers or {}).get(RECORDED_AT)
    try:
        return min(appended, datetime.fromisoformat(str(imported)).astimezone(UTC)) if imported else appended
    except (ValueError, OverflowError) as error:
        raise UndecodableError(f"{RECORDED_AT} is not a time") from error
