"""What a log delivers: every event at least once, and each counts once, or not at all once it is erased or parked."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

from nemuri_contracts.event import Event
from nemuri_contracts.operator_events import EventParked
from nemuri_domain.event_sourcing.erasure import TOMBSTONES, Erased

E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class Parked:
    """What operators took out of every fold, by its id, and up to which place in the log."""

    until: Mapping[UUID, int] = field(default_factory=dict)

    @classmethod
    def by(cls, events: Iterable[Event]) -> "Parked":
        """Return what these events take out."""
        parked = (each for each in events if isinstance(each, EventParked))
        return cls({each.parked_id: each.sequence or 0 for each in parked})

    def covers(self, event_id: UUID, sequence: int) -> bool:
        """Return whether the event at a place means nothing: what came before it was parked, never what follows."""
        return sequence < self.until.get(event_id, 0)


@dataclass(slots=True)
class Deduplicator:
    """Which events are the first of their id and not erased by then; memory for one id of each."""

    seen: set[UUID] = field(default_factory=set)
    erased: Erased = field(default_factory=Erased)

    def among(self, events: Iterable[E]) -> Iterator[E]:
        """Those of the events that are the first, of these and of all that were asked about before.

        A tombstone among them absorbs what comes after it.
        """
        for event in events:
            if event.event_id in self.seen or (self.erased and self.erased.absorbs(event)):
                continue
            self.seen.add(event.event_id)
            if isinstance(event, TOMBSTONES):
                self.erased |= Erased.by([event])
            yield event


def first_of_each(events: Iterable[E], erased: Erased | None = None) -> Iterator[E]:
    """The events in their order, of each id only the first, and none that a tombstone before it absorbs.

    `erased` is what was erased before.
    """
    return Deduplicator(erased=erased or Erased()).among(events)
