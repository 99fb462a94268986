"""What a log delivers: every event at least once, and each counts once."""

from collections.abc import Iterable, Iterator
from typing import TypeVar
from uuid import UUID

from nemuri.contracts.event import Event

E = TypeVar("E", bound=Event)


def first_of_each(events: Iterable[E]) -> Iterator[E]:
    """The events in their order, of each id only the first; memory for one id of each."""
    seen: set[UUID] = set()
    for event in events:
        if event.event_id not in seen:
            seen.add(event.event_id)
            yield event
