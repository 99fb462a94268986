"""The states of tasks, folded from their histories in the log."""

import asyncio
from dataclasses import dataclass, field
from typing import cast, get_args
from uuid import UUID

from cachetools import LRUCache

from nemuri_contracts.codec import UndecodableError
from nemuri_contracts.erasure import AgentErased, MemoriesErased, TaskErased
from nemuri_contracts.event import ClientEvent, Event
from nemuri_contracts.tasks import TaskReopened
from nemuri_domain.event_sourcing.deduplication import Parked
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_domain.tasks.fold import LifeEvent, evolve
from nemuri_infra.bus.event_log import Log, message_id
from nemuri_infra.bus.stored_message import StoredMessage
from nemuri_infra.projections.journal import Journal
from nemuri_infra.projections.progress import BehindError

MAX_HISTORIES = 2_000
"""Maximum number of tasks of which one process caches the history."""
_FOLDED: frozenset[type[Event]] = frozenset(get_args(LifeEvent))


@dataclass(slots=True)
class TaskHistory:
    """The events of a task that count, folded into its state, up to a sequence of the log."""

    state: TaskState = field(default_factory=TaskState)
    until: int = 0
    """Sequence up to which the history contains every event."""
    last: int = 0
    """Sequence of the last message read."""
    first: dict[UUID, int] = field(default_factory=dict)
    """Sequence of the first event with each id."""
    newest: dict[str, int] = field(default_factory=dict)
    """Sequence of the newest event of each kind."""
    reopened: list[int] = field(default_factory=list)
    """Sequences of the events that began further attempts at the task."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def add(self, event: Event) -> None:
        """Add an event that counts."""
        sequence = event.sequence or 0
        if isinstance(event, TaskErased):
            self.first.clear()
            self.newest.clear()
        self.first[event.event_id] = self.newest[event.kind] = sequence
        if event.kind == TaskReopened.kind_of():
            self.reopened.append(sequence)
        if type(event) in _FOLDED:
            self.state = evolve(self.state, cast("LifeEvent", event))


@dataclass(frozen=True, slots=True)
class _Excluded:
    """The events that erasures and operators have excluded from the histories."""

    at: int = -1
    """Sequence of the last exclusion that is known."""
    agents: frozenset[str] = frozenset()
    """The agents that are erased, or of which memories are erased."""
    parked: Parked = field(default_factory=Parked)


@dataclass(slots=True)
class TaskHistories:
    """Reads the histories of tasks from the log, and caches them.

    A history that is not cached is read up to its end, so that it shows outcomes that exist already. A cached one is
    continued up to the event that is asked for: what came later came after this process had read to the end. Histories
    are read from the leader of the stream, so they contain every event that was appended before the call.
    """

    log: Log
    journal: Journal
    _cached: LRUCache[UUID, TaskHistory] = field(default_factory=lambda: LRUCache(MAX_HISTORIES))
    _excluded: _Excluded = field(default_factory=_Excluded)

    async def of(self, event: Event) -> TaskHistory:
        """Return the history of an event's task, which contains the event. Raises LookupError if it has no task."""
        return await self.at(event.task_id, event.sequence or 0, event)

    async def state(self, event: Event) -> TaskState:
        """Return the state of an event's task, which contains the event. Raises LookupError if it has no task."""
        return (await self.of(event)).state

    async def at(self, task_id: UUID, until: int, event: Event | None = None) -> TaskHistory:
        """Return the history of a task, at least up to the sequence `until`; an empty one if the id is unknown.

        `event` is an event of the task that need not be decoded again. Raises `BehindError` if the history contains a
        message that this program cannot read.
        """
        excluded = await self._exclusions()
        history = self._cached.setdefault(task_id, TaskHistory())
        async with history.lock:
            if history.until < until:
                await self._read_on(task_id, history, until, event, excluded)
        return history

    def forget(self, task_id: UUID) -> None:
        """Read the history of a task again from its beginning when it is needed next."""
        self._cached.pop(task_id, None)

    async def counts(self, event: Event) -> bool:
        """Return whether an event of a task's history counts: the first with its id, neither erased nor parked."""
        return (await self.of(event)).first.get(event.event_id) == event.sequence

    async def _read_on(
        self, task_id: UUID, history: TaskHistory, until: int, event: Event | None, excluded: _Excluded
    ) -> None:
        subject, whole = self.log.subjects.history(task_id), not history.until
        if event is not None and not whole and self._is_next(event, task_id, history):
            if await self._counts(event, history, excluded):
                history.add(event)
            history.last = history.until = event.sequence or 0
        while whole or history.last < until:
            if (message := await self.log.next_on(subject, history.last)) is None:
                break
            again = event is not None and message.sequence == event.sequence
            known = event if again else self._decoded(message, excluded)
            if known is not None and known.thread == task_id and await self._counts(known, history, excluded):
                history.add(known)
            history.last = message.sequence
        history.until = max(until, history.last)

    def _is_next(self, event: Event, task_id: UUID, history: TaskHistory) -> bool:
        """Return whether the projector has told that an event is the only one of a task after those of its history."""
        changes, sequence = self.journal.progress.changes, event.sequence or 0
        return event.thread == task_id and changes.is_next_of_task(sequence, task_id, history.until)

    def _decoded(self, message: StoredMessage, excluded: _Excluded) -> Event | None:
        """Return the event in a message; None for an undecodable message that is parked or that a client has sent.

        Raises `BehindError` for an undecodable message of a service: it comes from a newer version, or an operator must
        repair or park it.
        """
        try:
            return self.log.event_in(message)
        except UndecodableError as error:
            if self.log.subjects.client_of(message.subject) is not None:
                return None
            if excluded.parked.covers(message_id(message.subject, message.data), message.sequence):
                return None
            raise BehindError(str(error)) from error

    async def _counts(self, event: Event, history: TaskHistory, excluded: _Excluded) -> bool:
        """Return whether an event counts that comes after those of the history.

        Services derive the ids of a task's events from its submission, so only an id that a client has chosen can be
        taken elsewhere. That, and what was erased of an agent, only the journal knows.
        """
        sequence = event.sequence or 0
        if event.event_id in history.first or excluded.parked.covers(event.event_id, sequence):
            return False
        if TaskErased.kind_of() in history.newest:
            return isinstance(event, TaskErased)
        if isinstance(event, ClientEvent) or event.agent_id in excluded.agents:
            return (await self.journal.counting([event]))[0]
        return True

    async def _exclusions(self) -> _Excluded:
        """Return what is excluded. After a change, all histories are read again, so that nothing erased stays here."""
        at = self.journal.progress.changes.excluded
        if self._excluded.at != at:
            agents = [await self.log.agents_with(kind) for kind in (AgentErased, MemoriesErased)]
            self._excluded = _Excluded(at, frozenset().union(*agents), await self.log.parked())
            self._cached.clear()
        return self._excluded
