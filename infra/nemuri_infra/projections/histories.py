"""Histories of tasks and conversations: the events that count of one of them, read from the log and folded."""

import asyncio
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from uuid import UUID

from cachetools import LRUCache

from nemuri_contracts.codec import UndecodableError
from nemuri_contracts.erasure import AgentErased, MemoriesErased, TaskErased
from nemuri_contracts.event import ClientEvent, Event
from nemuri_domain.event_sourcing.deduplication import Parked
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.log_batch import message_id
from nemuri_infra.bus.stored_message import StoredMessage
from nemuri_infra.projections.journal import Journal
from nemuri_infra.projections.progress import BehindError

MAX_HISTORIES = 2_000
"""Maximum number of histories that one process caches."""


@dataclass(slots=True)
class History(ABC):
    """The events of a task or a conversation that count, up to a sequence of the log. A subclass folds them."""

    until: int = 0
    """Sequence up to which the history contains every event."""
    last: int = 0
    """Sequence of the last message read."""
    first: dict[UUID, int] = field(default_factory=dict)
    """Sequence of the first event with each id."""
    newest: dict[str, int] = field(default_factory=dict)
    """Sequence of the newest event of each kind."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def add(self, event: Event) -> None:
        """Add an event that counts."""
        if isinstance(event, TaskErased):
            self.first.clear()
            self.newest.clear()
        self.first[event.event_id] = self.newest[event.kind] = event.sequence or 0
        self.fold(event)

    @abstractmethod
    def fold(self, event: Event) -> None:
        """Fold an event that counts into the state."""


H = TypeVar("H", bound=History)


@dataclass(frozen=True, slots=True)
class _Excluded:
    """The events that erasures and operators have excluded from the histories."""

    at: int = -1
    """Sequence of the last exclusion that is known."""
    agents: frozenset[str] = frozenset()
    """The agents that are erased, or of which memories are erased."""
    parked: Parked = field(default_factory=Parked)


@dataclass(slots=True)
class Histories(Generic[H]):
    """Reads the histories of tasks or of conversations from the log, and caches them.

    A history that is not cached is read up to its end, so that it shows outcomes that exist already. A cached one is
    continued up to the event that is asked for: what came later came after this process had read to the end. Histories
    are read from the leader of the stream, so they contain every event that was appended before the call.
    """

    log: Log
    journal: Journal
    kind: type[H]
    """Class of the histories."""
    _cached: LRUCache[UUID, H] = field(default_factory=lambda: LRUCache(MAX_HISTORIES))
    _excluded: _Excluded = field(default_factory=_Excluded)

    async def of(self, event: Event) -> H:
        """Return the history that contains an event. Raises LookupError if none does."""
        if event.filed_under is None:
            raise LookupError(f"{event.kind} {event.event_id} belongs to no history")
        return await self.at(event.filed_under, event.sequence or 0, event)

    async def at(self, name: UUID, until: int, event: Event | None = None) -> H:
        """Return the history of an id, at least up to the sequence `until`; an empty one if the id is unknown.

        `event` is an event of the history that need not be decoded again. Raises `BehindError` if the history contains
        a message that this program cannot read.
        """
        excluded = await self._exclusions()
        history = self._cached.setdefault(name, self.kind())
        async with history.lock:
            if history.until < until:
                await self._read_on(name, history, until, event, excluded)
        return history

    def forget(self, name: UUID) -> None:
        """Read a history again from its beginning when it is needed next."""
        self._cached.pop(name, None)

    async def counts(self, event: Event) -> bool:
        """Return whether an event of a history counts: the first with its id, neither erased nor parked."""
        return (await self.of(event)).first.get(event.event_id) == event.sequence

    async def _read_on(self, name: UUID, history: H, until: int, event: Event | None, excluded: _Excluded) -> None:
        subject, whole = self.log.subjects.history(name), not history.until
        if event is not None and not whole and self._is_next(event, name, history):
            if await self._counts(event, history, excluded):
                history.add(event)
            history.last = history.until = event.sequence or 0
        while whole or history.last < until:
            if (message := await self.log.next_on(subject, history.last)) is None:
                break
            again = event is not None and message.sequence == event.sequence
            known = event if again else self._decoded(message, excluded)
            if known is not None and known.filed_under == name and await self._counts(known, history, excluded):
                history.add(known)
            history.last = message.sequence
        history.until = max(until, history.last)

    def _is_next(self, event: Event, name: UUID, history: H) -> bool:
        """Return whether the projector has told that an event is the only one of a task after those of its history."""
        changes, sequence = self.journal.progress.changes, event.sequence or 0
        return event.thread == name and changes.is_next_of_task(sequence, name, history.until)

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

    async def _counts(self, event: Event, history: H, excluded: _Excluded) -> bool:
        """Return whether an event counts that comes after those of the history.

        Services derive the ids of their events from those of clients, so only an id that a client has chosen can be
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
