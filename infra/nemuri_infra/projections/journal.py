"""The events that count: the first with their id, where neither they nor what they are about is erased."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from cachetools import LRUCache

from nemuri_contracts.event import Event
from nemuri_domain.event_sourcing.erasure import Erased
from nemuri_infra.projections.progress import BehindError, Progress
from nemuri_infra.projections.views import Views

MAX_EVENTS = 10_000
"""Maximum number of events of which one process remembers whether they count."""


@dataclass(slots=True)
class Journal:
    """Knows which events count: from the projector's notifications, or else from the projections."""

    views: Views
    _known: LRUCache[tuple[UUID, int], bool] = field(default_factory=lambda: LRUCache(MAX_EVENTS))
    """True for an event that counts, by its id and sequence."""
    _excluded: int = -1
    """Sequence of the last erasure that the known answers contain."""
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def progress(self) -> Progress:
        """Return the progress of the projections."""
        return self.views.progress

    async def counting(self, events: Sequence[Event]) -> list[bool]:
        """Return for each event whether it counts. Waits until the projections contain it.

        Raises `BehindError` if they do not contain an event that they should contain: they belong to another log.
        """
        await self.progress.wait(max((event.sequence or 0 for event in events), default=0))
        told = [self.progress.changes.counts(event.sequence or 0) for event in events]
        if None not in told:
            return [bool(counts) for counts in told]
        if self._excluded != self.progress.changes.excluded:
            self._known.clear()
            self._excluded = self.progress.changes.excluded
        keys = [(event.event_id, event.sequence or 0) for event in events]
        async with self._asking:  # several services ask for the same event at the same time
            known = {key: self._known[key] for key in keys if key in self._known}
            unknown = [event for event, key in zip(events, keys, strict=True) if key not in known]
            if unknown:
                known |= await self._look_up(unknown)
                self._known.update(known)
        return [known[key] for key in keys]

    async def _look_up(self, events: Sequence[Event]) -> dict[tuple[UUID, int], bool]:
        first = await self.views.sequences_by_id(event.event_id for event in events)
        missing = [event for event in events if event.event_id not in first]
        erased = await self.views.erased_among(missing) if missing else Erased()
        for event in missing:
            if not erased.absorbs(event):
                raise BehindError(f"the projections do not contain {event.kind} {event.event_id}; see `nemuri status`")
        return {(event.event_id, event.sequence or 0): first.get(event.event_id) == event.sequence for event in events}
