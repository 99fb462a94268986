"""The states of tasks, folded from the newest events of the log without the projections."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import cast, get_args
from uuid import UUID

from cachetools import LRUCache
from sqlalchemy import text

from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.codec import AnyEvent
from nemuri_contracts.event import ClientEvent, Event
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_domain.tasks.fold import LifeEvent, evolve
from nemuri_infra.bus.recent_events import RecentEvents
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.erasure import erased_keys
from nemuri_infra.projections.progress import projected_up_to

MAX_STATES = 2_000
"""Maximum number of tasks whose folded states one process caches."""
_FOLDED: frozenset[type[Event]] = frozenset(get_args(LifeEvent))
_KNOWN = text("""
    SELECT event_id::text AS name, sequence FROM journal WHERE event_id = ANY(:ids)
    UNION ALL SELECT name, NULL FROM erased WHERE name = ANY(:names)
""")
"""The sequences of the first events with these ids, and those of these names that are erased, without a sequence."""
_ERASED_AGENTS = text("SELECT substr(name, 7) FROM erased WHERE name LIKE 'agent/%'")


@dataclass(frozen=True, slots=True)
class _Folded:
    """The state of a task after the first events of the window that concern it."""

    state: TaskState
    events: int
    """Number of these events."""


@dataclass(slots=True)
class RecentTasks:
    """The tasks that began in the window of recent events. Their states need no projection."""

    recent: RecentEvents
    database: Database
    _states: LRUCache[int, _Folded] = field(default_factory=lambda: LRUCache(MAX_STATES))
    """The folded states, by the sequence of the task's submission."""
    _fresh: LRUCache[tuple[UUID, int], bool] = field(default_factory=lambda: LRUCache(MAX_STATES))
    """True if the event with this id and sequence is the first with its id and not erased."""
    _erased_agents: frozenset[str] | None = None
    """Names of the erased agents; None if they must be read."""
    _began: int = -1
    """The beginning of the window for which the caches above are valid."""

    async def events(self, task_id: UUID, until: int) -> Sequence[AnyEvent] | None:
        """Return all events of a task so far, at least up to the sequence `until`; None if the window does not contain
        all of them.
        """
        if not await self._usable(until):
            return None
        found = tuple(self.recent.of_task(task_id))
        if not found or not isinstance(found[0], TaskSubmitted):
            return None
        return found if await self._is_first(found[0]) else None

    async def state(self, task_id: UUID, until: int) -> TaskState | None:
        """Return the state of a task after all its events so far; None as for `events`."""
        events = await self.events(task_id, until)
        if events is None:
            return None
        begun = events[0].sequence or 0
        known = self._states.get(begun) or _Folded(TaskState(), 0)
        new = [each for each in events[known.events :] if type(each) in _FOLDED and await self._counts(each)]
        state = reduce(evolve, cast("Iterable[LifeEvent]", new), known.state)
        self._states[begun] = _Folded(state, max(known.events, len(events)))
        return state

    async def prepare(self, events: Sequence[Event]) -> None:
        """Look up in one statement what `is_effective` needs to know about several events."""
        places = {each.sequence or 0: each for each in events}
        if len(events) < 2 or not await self._usable(max(places)):
            return
        new = [
            each
            for place, each in places.items()
            if self.recent.covers(place) and (each.event_id, place) not in self._fresh
        ]
        if new:
            await self._look_up(new)

    async def is_effective(self, event: Event) -> bool | None:
        """Return whether an event is the first with its id and not erased; None if only projections that contain it can
        tell.
        """
        sequence = event.sequence or 0
        if not await self._usable(sequence):
            return None
        if self.recent.first(event.event_id) != sequence:
            return False
        if not await self._counts(event):
            return False
        task = event.thread
        if task is not None and task != event.event_id and await self.events(task, sequence) is not None:
            return True
        return await self._is_first(event)

    async def _counts(self, event: Event) -> bool:
        """Return False if the agent of an event of the window is erased, or if a client has given it an id that is
        taken.

        Services derive the ids of a task's events from the submission, so they cannot be taken before it.
        """
        if event.agent_id is not None and event.agent_id in await self._agents_erased():
            return False
        return not isinstance(event, ClientEvent) or await self._is_first(event)

    async def _usable(self, sequence: int) -> bool:
        arrived = await self.recent.wait(sequence)
        if self._began != self.recent.began:  # after an erasure nothing of what it erased may stay in memory
            self._began, self._erased_agents = self.recent.began, None
            self._states.clear()
            self._fresh.clear()
        return arrived and self.recent.covers(sequence)

    async def _is_first(self, event: Event) -> bool:
        """Return whether no event before the window has the id of an event in the window, and whether it is not erased.

        Asks the projections. They only need to contain everything before the window.
        """
        key = event.event_id, event.sequence or 0
        if (known := self._fresh.get(key)) is None:
            known = (await self._look_up([event]))[0]
        return known

    async def _look_up(self, events: Sequence[Event]) -> list[bool]:
        """Look up in one statement whether each event is the first with its id and not erased. Caches the answers."""
        names = [erased_keys([each]) for each in events]
        asked = {"ids": [each.event_id for each in events], "names": sorted(set[str]().union(*names))}
        with projected_up_to(self.recent.after):
            async with self.database.reading() as connection:
                rows = (await connection.execute(_KNOWN, asked)).all()
        places = {row.name: row.sequence for row in rows if row.sequence is not None}
        erased = {row.name for row in rows if row.sequence is None}
        found = list[bool]()
        for event, its_names in zip(events, names, strict=True):
            fresh = places.get(str(event.event_id)) in {None, event.sequence} and erased.isdisjoint(its_names)
            self._fresh[event.event_id, event.sequence or 0] = fresh
            found.append(fresh)
        return found

    async def _agents_erased(self) -> frozenset[str]:
        if (names := self._erased_agents) is None:
            began = self._began
            with projected_up_to(began):
                async with self.database.reading() as connection:
                    names = frozenset((await connection.execute(_ERASED_AGENTS)).scalars())
            if began == self._began:
                self._erased_agents = names
        return names
