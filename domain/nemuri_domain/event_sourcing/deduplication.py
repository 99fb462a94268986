"""Deduplication of at-least-once delivery: a repeated event counts once; an erased or parked event does not count."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

from nemuri_contracts.event import Event
from nemuri_contracts.parked_events import EventParked
from nemuri_domain.event_sourcing.erasure import TOMBSTONES, Erased

E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class Parked:
    """Events that operators excluded (parked), so that no fold sees them.

    `until` maps the id of each excluded event to the stream sequence of its `event_parked` event.
    """

    until: Mapping[UUID, int] = field(default_factory=dict)

    @classmethod
    def by(cls, events: Iterable[Event]) -> "Parked":
        """Return the events that the `event_parked` events in `events` exclude. Other events are ignored."""
        parked = (event for event in events if isinstance(event, EventParked))
        return cls({event.parked_id: event.sequence or 0 for event in parked})

    def covers(self, event_id: UUID, sequence: int) -> bool:
        """Return True if the event with this id and stream sequence is excluded.

        Only a copy before the `event_parked` event is excluded. A copy that was appended later counts.
        """
        return sequence < self.until.get(event_id, 0)


@dataclass(slots=True)
class Deduplicator:
    """A filter that passes the first event of each id and drops erased events. It keeps the ids of all events that it
    has passed.
    """

    seen: set[UUID] = field(default_factory=set)
    erased: Erased = field(default_factory=Erased)

    def among(self, events: Iterable[E]) -> Iterator[E]:
        """Yield the events whose id was not seen before, in these events or in earlier calls, and that are not erased.

        A tombstone among `events` also erases matching events after it.
        """
        for event in events:
            if event.event_id in self.seen or (self.erased and self.erased.absorbs(event)):
                continue
            self.seen.add(event.event_id)
            if isinstance(event, TOMBSTONES):
                self.erased |= Erased.by([event])
            yield event


def first_of_each(events: Iterable[E], erased: Erased | None = None) -> Iterator[E]:
    """Yield the first event of each id, in order, without events that an earlier tombstone erases.

    `erased` is the content of tombstones that come before all of `events`.
    """
    return Deduplicator(erased=erased or Erased()).among(events)
