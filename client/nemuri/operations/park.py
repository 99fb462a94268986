"""Park an event that cannot be folded: an event on the log says that every fold leaves it out."""

from dataclasses import dataclass
from uuid import UUID

from nemuri.operations.session import OperationError, Workshop, workshop
from nemuri_contracts.codec import UndecodableError
from nemuri_contracts.event import derive
from nemuri_contracts.operator_events import EventParked
from nemuri_domain.event_sourcing.erasure import TOMBSTONES
from nemuri_infra.bus.event_log import message_id
from nemuri_infra.projections.projection import OutdatedError, Unprojectable
from nemuri_infra.projections.rebuilder import catch_up, rebuild
from nemuri_infra.runtime.settings import Settings

TOMBSTONE_KINDS = frozenset(each.kind_of() for each in TOMBSTONES)


@dataclass(frozen=True, slots=True)
class ParkedEvent:
    """What parking did."""

    event: EventParked
    projected: int
    """How far the views are now."""

    @property
    def erases(self) -> bool:
        """Whether it was to erase something, which is not erased now."""
        return self.event.parked_kind in TOMBSTONE_KINDS


async def park(settings: Settings, sequence: int, why: str, *, folded: bool = False) -> ParkedEvent:
    """Park the event at which the views are halted, and bring the views to the end of the log without it.

    With `folded`, any event of the log: views that hold it are made anew. Raises `OperationError`, and parks nothing,
    where the views are not halted at it, or there is none.
    """
    async with workshop(settings) as at:
        if not folded:
            await _check_halted(at, sequence)
        parked_id, kind = await _message_at(at, sequence)
        event = EventParked(
            event_id=derive(parked_id, EventParked.kind_of(), sequence), parked_id=parked_id, parked_kind=kind, why=why
        )
        await at.log.append(event)
        return ParkedEvent(event, await _caught_up(at, sequence))


async def _check_halted(at: Workshop, sequence: int) -> None:
    """Raise `OperationError` unless the views are halted at the event."""
    position = await at.projection.position()
    if position.halted_at != sequence:
        why = f"are halted at event {position.halted_at}" if position.halted_at else "are halted at no event"
        raise OperationError(f"the views {why}; --folded parks an event that is no obstacle, and makes the views anew")


async def _message_at(at: Workshop, sequence: int) -> tuple[UUID, str | None]:
    """Return by which id a message is parked, and its kind where it is an event. Raises `OperationError`."""
    try:
        event = await at.log.at(sequence) if sequence > 0 else None
    except UndecodableError:
        raw = await at.log.stream.get_msg(at.log.subjects.stream, sequence)
        return message_id(raw.subject or "", raw.data or b""), None
    if event is None:
        raise OperationError(f"there is no event {sequence} on the log")
    if isinstance(event, EventParked):
        raise OperationError(f"event {sequence} parks another one, and cannot be parked itself")
    return event.event_id, event.kind


async def _caught_up(at: Workshop, sequence: int) -> int:
    """Bring the views to the end of the log and return their place. Raises `OperationError` where they halt again."""
    until = await at.log.last_sequence()
    try:
        await catch_up(at.projection, at.log, until, lambda *_: None)
    except OutdatedError:
        await rebuild(at.projection, at.log, lambda *_: None)
    except Unprojectable as error:
        raise OperationError(f"event {sequence} is parked, and then: {error}") from error
    return (await at.projection.position()).sequence
