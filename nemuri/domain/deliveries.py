"""What a log delivers: every event at least once, and each counts once, or not at all once it is erased."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

from nemuri.contracts.event import Event
from nemuri.domain.erasure import TOMBSTONES, Erased

E = TypeVar("E", bound=Event)


@dataclass(slots=True)
class Firsts:
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
    return Firsts(erased=erased or Erased()).among(events)
