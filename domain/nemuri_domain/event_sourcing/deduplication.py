"""Deduplication of at-least-once delivery: an event counts once, or not at all if it was erased or parked."""

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
    """Events that operators excluded from all folds: stream sequence of the exclusion by event id."""

    until: Mapping[UUID, int] = field(default_factory=dict)

    @classmethod
    def by(cls, events: Iterable[Event]) -> "Parked":
        """Return the events excluded by these `event_parked` events."""
        parked = (each for each in events if isinstance(each, EventParked))
        return cls({each.parked_id: each.sequence or 0 for each in parked})

    def covers(self, event_id: UUID, sequence: int) -> bool:
        """Return True if the event at a sequence is excluded. Copies appended after the exclusion count."""
        return sequence < self.until.get(event_id, 0)


@dataclass(slots=True)
class Deduplicator:
    """Filter for the first event of each id that is not erased. It remembers all ids."""

    seen: set[UUID] = field(default_factory=set)
    erased: Erased = field(default_factory=Erased)

    def among(self, events: Iterable[E]) -> Iterator[E]:
        """Yield the events whose id is new among these and all earlier ones.

        A tombstone among them applies to the events after it.
        """
        for event in events:
            if event.event_id in self.seen or (self.erased and self.erased.absorbs(event)):
                continue
            self.seen.add(event.event_id)
            if isinstance(event, TOMBSTONES):
                self.erased |= Erased.by([event])
            yield event


def first_of_each(events: Iterable[E], erased: Erased | None = None) -> Iterator[E]:
    """Yield the first event of each id in order, except those erased by an earlier tombstone.

    `erased` is the content of earlier tombstones.
    """
    return Deduplicator(erased=erased or Erased()).among(events)
