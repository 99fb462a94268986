"""What a log delivers: every event at least once, and each counts once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

from nemuri.contracts.event import Event

E = TypeVar("E", bound=Event)


@dataclass(slots=True)
class Firsts:
    """Which events are the first of their id; memory for one id of each."""

    seen: set[UUID] = field(default_factory=set)

    def among(self, events: Iterable[E]) -> Iterator[E]:
        """Those of the events that are the first, of these and of all that were asked about before."""
        for event in events:
            if event.event_id not in self.seen:
                self.seen.add(event.event_id)
                yield event


def first_of_each(events: Iterable[E]) -> Iterator[E]:
    """The events in their order, of each id only the first."""
    return Firsts().among(events)
