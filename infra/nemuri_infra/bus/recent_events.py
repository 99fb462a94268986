"""The newest events of the log, which every process holds in memory.

One consumer of the log sends each new event to a subject. A process that subscribes gets all of them in order, so it
knows the newest events without asking for them.
"""

import asyncio
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from nemuri_contracts.codec import AnyEvent, UndecodableError
from nemuri_contracts.parked_events import EventParked
from nemuri_domain.event_sourcing.erasure import TOMBSTONES
from nemuri_infra.bus.event_log import Log

MAX_EVENTS = 10_000
"""Maximum number of events in the window."""
MAX_BYTES = 16 * 1024 * 1024
"""Maximum size of the encoded events in the window, in bytes."""
ARRIVAL_SECONDS = 1.0
"""Maximum seconds that a caller waits for an event which the log has stored already."""


@dataclass(slots=True)
class RecentEvents:
    """A window over the newest events of the log: without gaps, bounded in number and in bytes.

    The window begins with the first use. It begins again after a lost message, for example after an interruption of the
    connection, and after each message that changes the meaning of earlier events or cannot be read: a tombstone, an
    event that parks another one, or an undecodable message of a service. What follows from these is known only to
    projections that contain them.
    """

    log: Log
    after: int = 0
    """Sequence before the window. The window contains every event after it, up to `sequence`."""
    sequence: int = 0
    """Sequence of the newest event that has arrived."""
    began: int = 0
    """Sequence after which the window began. Events that were dropped for want of room do not change it."""
    _events: deque[tuple[AnyEvent, int]] = field(default_factory=deque)
    """The events of the window, each with its size in bytes."""
    _bytes: int = 0
    _first: dict[UUID, int] = field(default_factory=dict)
    """Sequence of the first event in the window with each id."""
    _threads: dict[UUID, list[AnyEvent]] = field(default_factory=dict)
    """Events in the window by task, without repeated ones."""
    _of_agents: dict[str, dict[str, int]] = field(default_factory=dict)
    """Sequence of the last event of each kind in the window, by agent."""
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _delivered: int = -1
    """Number that the consumer gave the last message; -1 before the first. The numbers are consecutive, so a gap shows
    a lost message.
    """
    _missed: int = 0
    """Sequence of the newest event that has not arrived in time. Until it has arrived, nobody waits for it or for later
    ones.
    """
    _subscription: Subscription | None = None
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def wait(self, sequence: int) -> bool:
        """Wait until the event with this sequence has arrived. Return False if it does not arrive in time.

        It must be in the log already.
        """
        if sequence <= self.sequence:
            return True
        await self._start()
        if self.sequence < self._missed:
            return sequence <= self.sequence
        try:
            async with asyncio.timeout(ARRIVAL_SECONDS), self._news:
                await self._news.wait_for(lambda: sequence <= self.sequence)
        except TimeoutError:
            self._missed = max(self._missed, sequence)
            return False
        return True

    def covers(self, sequence: int) -> bool:
        """Return True if the window contains the event with this sequence and every later one up to `sequence`."""
        return self.after < sequence <= self.sequence

    def first(self, event_id: UUID) -> int | None:
        """Return the sequence of the first event in the window with an id; None if there is none."""
        return self._first.get(event_id)

    def of_task(self, task_id: UUID) -> Sequence[AnyEvent]:
        """Return the events of a task in the window, in order. A repeated event is contained once."""
        return self._threads.get(task_id, ())

    def changed_since(self, agent_id: str, sequence: int, kinds: Collection[str] | None = None) -> bool:
        """Return whether an agent may have an event after a sequence; with `kinds`, an event of one of these kinds.

        It is also true if the window begins later than the sequence.
        """
        if sequence < self.after:
            return True
        last = self._of_agents.get(agent_id, {})
        return any(place > sequence for kind, place in last.items() if kinds is None or kind in kinds)

    def changed_agents(self, sequence: int, kinds: Collection[str]) -> set[str] | None:
        """Return the agents with an event of one of these kinds after a sequence; None if the window begins later."""
        if sequence < self.after:
            return None
        return {name for name in self._of_agents if self.changed_since(name, sequence, kinds)}

    def last_change(self, agent_id: str, kinds: Collection[str] | None = None) -> int:
        """Return the sequence of an agent's last event in the window; with `kinds`, of its last event of these kinds.

        If there is none, return the sequence before the window.
        """
        last = self._of_agents.get(agent_id, {})
        return max((place for kind, place in last.items() if kinds is None or kind in kinds), default=self.after)

    def last(self, agent_id: str, kind: str) -> int | None:
        """Return the sequence of an agent's last event of a kind in the window; None if there is none."""
        return self._of_agents.get(agent_id, {}).get(kind)

    async def close(self) -> None:
        """End the subscription."""
        if self._subscription is not None and self.log.connection.is_connected:
            await self._subscription.unsubscribe()

    async def _start(self) -> None:
        async with self._starting:
            if self._subscription is not None:
                return
            connection = self.log.connection
            self._subscription = await connection.subscribe(self.log.subjects.appended, cb=self._receive)
            last = await self.log.last_sequence()
            if self.sequence == 0:
                self._begin_after(last)

    async def _receive(self, message: Msg) -> None:
        async with self._starting:  # The server first sends what came while nobody subscribed. The window is after it.
            pass
        place = message.metadata.sequence
        lost, self._delivered = place.consumer != self._delivered + 1, place.consumer
        if place.stream <= self.sequence:
            return  # sent again after a restart of the server
        if lost:
            self._begin_after(place.stream - 1)
        try:
            self._add(self.log.decode(message), len(message.data))
        except UndecodableError:
            if self.log.subjects.client_of(message.subject) is None:
                self._begin_after(place.stream)
        async with self._news:
            self.sequence = place.stream
            self._news.notify_all()

    def _begin_after(self, sequence: int) -> None:
        self.began = self.after = self.sequence = sequence
        self._bytes = 0
        for each in (self._events, self._first, self._threads, self._of_agents):
            each.clear()

    def _add(self, event: AnyEvent, size: int) -> None:
        sequence = event.sequence or 0
        if isinstance(event, (*TOMBSTONES, EventParked)):
            self._begin_after(sequence)
            return
        self._events.append((event, size))
        self._bytes += size
        if self._first.setdefault(event.event_id, sequence) == sequence and event.thread is not None:
            self._threads.setdefault(event.thread, []).append(event)
        if event.agent_id is not None:
            self._of_agents.setdefault(event.agent_id, {})[event.kind] = sequence
        while len(self._events) > MAX_EVENTS or self._bytes > MAX_BYTES:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        event, size = self._events.popleft()
        self._bytes -= size
        self.after = event.sequence or 0
        if self._first.get(event.event_id) == self.after:
            del self._first[event.event_id]
        if event.thread is not None and (known := self._threads.get(event.thread)) and known[0] is event:
            del known[0]
            if not known:
                del self._threads[event.thread]
        if event.agent_id is not None:
            last = self._of_agents[event.agent_id]
            if last.get(event.kind) == self.after:
                del last[event.kind]
            if not last:
                del self._of_agents[event.agent_id]
