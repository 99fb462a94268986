"""Park an event that cannot be folded: a new event on the log makes every fold skip it."""

from dataclasses import dataclass
from uuid import UUID

from nemuri.operations.session import OperationContext, OperationError, open_operation
from nemuri_contracts.codec import UndecodableError
from nemuri_contracts.event import derive
from nemuri_contracts.log_archiving import LogArchived
from nemuri_contracts.parked_events import EventParked
from nemuri_domain.event_sourcing.erasure import TOMBSTONES
from nemuri_infra.bus.log_batch import message_id
from nemuri_infra.projections.projection import OutdatedError, Unprojectable
from nemuri_infra.projections.rebuilder import catch_up, rebuild
from nemuri_infra.runtime.settings import Settings

TOMBSTONE_KINDS = frozenset(tombstone.kind_of() for tombstone in TOMBSTONES)


@dataclass(frozen=True, slots=True)
class ParkedEvent:
    """The result of parking."""

    event: EventParked
    projected: int
    """Position of the projections after parking."""

    @property
    def erases(self) -> bool:
        """Return True if the parked event was an erasure, which is then not carried out."""
        return self.event.parked_kind in TOMBSTONE_KINDS


async def park(settings: Settings, sequence: int, why: str, *, folded: bool = False) -> ParkedEvent:
    """Park the event at which the projections are halted, and bring the projections to the end of the log without it.

    With `folded`, any event of the log can be parked; projections that contain it are rebuilt.

    Raises:
        OperationError: The projections are not halted at the event, or it does not exist; nothing is parked then. Or
            the projections halt again at a later event.
    """
    async with open_operation(settings) as at:
        if not folded:
            await _check_halted(at, sequence)
        parked_id, kind = await _message_at(at, sequence)
        event = EventParked(
            event_id=derive(parked_id, EventParked.kind_of(), sequence), parked_id=parked_id, parked_kind=kind, why=why
        )
        await at.log.append(event)
        return ParkedEvent(event, await _caught_up(at, sequence))


async def _check_halted(at: OperationContext, sequence: int) -> None:
    """Raise `OperationError` unless the projections are halted at the event."""
    position = await at.projection.position()
    if position.halted_at != sequence:
        why = f"are halted at event {position.halted_at}" if position.halted_at else "are halted at no event"
        raise OperationError(f"the views {why}; --folded parks any event, and rebuilds the views")


async def _message_at(at: OperationContext, sequence: int) -> tuple[UUID, str | None]:
    """Return the id of the message at a sequence, and its kind if it is an event.

    The id of another message is derived from its subject and its bytes. Raises `OperationError` if there is no message,
    or if it parks another event.
    """
    try:
        event = await at.log.at(sequence) if sequence > 0 else None
    except UndecodableError:
        if (raw := await at.log.stored_at(sequence)) is not None:
            return message_id(raw.subject, raw.data), None
        event = None
    if event is None:
        raise OperationError(f"there is no event {sequence} on the log")
    if isinstance(event, EventParked):
        raise OperationError(f"event {sequence} parks another event and cannot be parked itself")
    if isinstance(event, LogArchived):
        raise OperationError(f"event {sequence} says how far the log is archived and cannot be parked")
    return event.event_id, event.kind


async def _caught_up(at: OperationContext, sequence: int) -> int:
    """Bring the projections to the end of the log and return their position.

    Raises `OperationError` if the projections halt again.
    """
    until = await at.log.last_sequence()
    try:
        await catch_up(at.projection, at.log, until, lambda *_: None)
    except OutdatedError:
        await rebuild(at.projection, at.log, lambda *_: None)
    except Unprojectable as error:
        raise OperationError(f"event {sequence} is parked, but then: {error}") from error
    return (await at.projection.position()).sequence
