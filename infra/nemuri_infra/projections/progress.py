"""The progress of the projections: how far they contain the log, which agents and tasks changed, and which events have
no effect.
The projector publishes it to all processes, with the version of its folds.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol, Self
from uuid import UUID

import orjson
from nats.aio.msg import Msg

from nemuri_contracts.parked_events import EventParked
from nemuri_domain.event_sourcing.erasure import TOMBSTONES
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.log_batch import Batch
from nemuri_infra.projections.projection import FOLD, Position

HEARTBEAT_SECONDS = 1.0
"""Seconds without a notification after which the database is queried, because a notification may be lost."""
MAX_AGENTS = 500
"""Maximum number of changed agents and tasks that one notification names. With more, all count as changed."""
MAX_WITHOUT_EFFECT = 500
"""Maximum number of events without effect that one notification names. With more, nothing is known of its events."""
MAX_KNOWN = 20_000
"""Maximum number of agents with their last changes, of tasks, and of events without effect that one process knows. With
more, it forgets all of them.
"""


def progress_message(
    until: int, batch: Batch | None = None, without_effect: Collection[int] | None = frozenset()
) -> bytes:
    """Return the notification that the projections of this version have reached a sequence.

    `batch` is the part of the log that was folded since the last notification; None if that is not known.
    `without_effect` are the sequences of its events that have no effect; None if that is not known.
    """
    skipped = 0 if batch is None else batch.until - batch.after - len(batch.sequences)
    if without_effect is None or len(without_effect) + skipped > MAX_WITHOUT_EFFECT:
        batch = None
    message: dict[str, object] = {"after": until if batch is None else batch.after, "until": until, "fold": FOLD}
    if batch is not None:
        agents, tasks = dict[str, dict[str, int]](), dict[str, list[int]]()
        for event in batch.events:
            if event.agent_id is not None:
                agents.setdefault(event.agent_id, {})[event.kind] = event.sequence or 0
            if event.in_history:
                tasks.setdefault(str(event.thread), []).append(event.sequence or 0)
        message["agents"] = agents if len(agents) + len(tasks) <= MAX_AGENTS else None
        message["tasks"] = tasks
        gone = [event.sequence or 0 for event in batch.events if isinstance(event, (*TOMBSTONES, EventParked))]
        message["excluded"] = max(gone, default=0)
        message["without_effect"] = sorted({*(without_effect or ()), *_skipped(batch)})
    return orjson.dumps(message)


def _skipped(batch: Batch) -> set[int]:
    """Return the sequences of the messages that the batch leaves out: deleted and parked ones."""
    return set(range(batch.after + 1, batch.until + 1)).difference(batch.sequences)


class BehindError(Exception):
    """The projections do not contain everything that is needed yet. The event is retried later."""


@dataclass(slots=True)
class AgentChanges:
    """The sequences of the last events of each kind of each agent, of which this process was notified."""

    since: int = 0
    """Sequence after which all changes are known. Before it anything may have changed."""
    excluded: int = 0
    """Sequence of the last event that erased or parked others, or `since` if that is later."""
    _agents: dict[str, dict[str, int]] = field(default_factory=dict)
    _tasks: dict[str, list[int]] = field(default_factory=dict)
    """Sequences after `since` of each task's events."""
    _without_effect: set[int] = field(default_factory=set)
    """Sequences after `since` of repeated and erased events."""

    def forget(self, sequence: int) -> None:
        """Regard everything up to a sequence as possibly changed."""
        self.since = sequence
        self.excluded = max(self.excluded, sequence)
        self._agents.clear()
        self._tasks.clear()
        self._without_effect.clear()

    def add(
        self,
        agents: Mapping[str, Mapping[str, int]],
        tasks: Mapping[str, Sequence[int]],
        without_effect: Collection[int],
    ) -> None:
        """Add changes that come after those that are known, and the sequences of the events without effect."""
        self._without_effect.update(without_effect)
        for task_id, sequences in tasks.items():
            self._tasks.setdefault(task_id, []).extend(sequences)
        for agent_id, kinds in agents.items():
            self._agents.setdefault(agent_id, {}).update(kinds)

    def __len__(self) -> int:
        return len(self._agents) + len(self._tasks) + len(self._without_effect)

    def counts(self, sequence: int) -> bool | None:
        """Return whether the event with a sequence, which the projections contain, counts; None if that is not known.

        Of an event before an erasure it is not known, because the erasure may concern it.
        """
        return None if sequence <= max(self.since, self.excluded) else sequence not in self._without_effect

    def is_next_of_task(self, sequence: int, task_id: UUID, after: int) -> bool:
        """Return whether a task is known to have no other event after `after`, up to its event with a sequence."""
        known = self._tasks.get(str(task_id), ()) if after >= self.since else ()
        return [other for other in known if after < other <= sequence] == [sequence]

    def changed(self, agent_id: str, after: int, kinds: Collection[str] | None = None) -> bool:
        """Return whether an agent may have changed after a sequence; with `kinds`, by an event of these kinds."""
        if after < self.since:
            return True
        known = self._agents.get(agent_id, {})
        return any(sequence > after for kind, sequence in known.items() if kinds is None or kind in kinds)

    def changed_agents(self, after: int, kinds: Collection[str]) -> set[str] | None:
        """Return the agents that changed after a sequence by an event of these kinds; None if that is not known."""
        if after < self.since:
            return None
        return {agent_id for agent_id in self._agents if self.changed(agent_id, after, kinds)}

    def last(self, agent_id: str, kind: str) -> int:
        """Return the sequence of an agent's last event of a kind; `since` if none is known."""
        return max(self.since, self._agents.get(agent_id, {}).get(kind, 0))

    def last_in_log(self, agent_id: str, kind: str) -> int:
        """Return the sequence of an agent's last message of a kind in the log; 0 if that is not known.

        After an exclusion the log may have a later message, which is parked, or may lack this one, which is erased.
        """
        found = self._agents.get(agent_id, {}).get(kind, 0)
        return found if found > self.excluded else 0


class HasPosition(Protocol):
    """Projections that know their position in the log."""

    async def position(self) -> Position:
        """Return the position of the projections in the log."""


@dataclass(slots=True)
class Progress:
    """The last log sequence that the projections are known to have reached, and what changed on the way."""

    projection: HasPosition
    sequence: int = 0
    changes: AgentChanges = field(default_factory=AgentChanges)
    newer_fold: int | None = None
    """Version of the folds that replaced those of this program; None as long as none has."""
    superseded: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a newer version has replaced the projections, so that this program must stop."""
    _heard: float = float("-inf")
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    @asynccontextmanager
    async def following(cls, log: Log, projection: HasPosition) -> AsyncIterator[Self]:
        """Subscribe to the projector's notifications, and yield a progress that they keep up to date during the
        context.
        """
        progress = cls(projection)

        async def hear(message: Msg) -> None:
            await progress.hear(message.data)

        subscription = await log.connection.subscribe(log.subjects.projected, cb=hear)
        try:
            yield progress
        finally:
            if log.connection.is_connected:
                await subscription.unsubscribe()

    async def hear(self, data: bytes) -> None:
        """Record a notification of the projector."""
        message = orjson.loads(data)
        agents, until = message.get("agents"), message["until"]
        if message["after"] == self.sequence and agents is not None and len(self.changes) < MAX_KNOWN:
            self.changes.add(agents, message["tasks"], message["without_effect"])
            self.changes.excluded = max(self.changes.excluded, message["excluded"])
        elif until != self.sequence:
            self.changes.forget(until)
        await self._record(until, message["fold"])

    async def current_sequence(self) -> int:
        """Return the sequence that the projections have reached.

        If the last notification is older than `HEARTBEAT_SECONDS`, it is read from the database.
        """
        if asyncio.get_running_loop().time() - self._heard > HEARTBEAT_SECONDS:
            position = await self.projection.position()
            await self.record(position.sequence, position.fold)
        return self.sequence

    async def record(self, sequence: int, fold: int = FOLD) -> None:
        """Record that projections of a version have reached a sequence, without knowing what changed."""
        if sequence != self.sequence:
            self.changes.forget(sequence)
        await self._record(sequence, fold)

    async def _record(self, sequence: int, fold: int) -> None:
        if fold > FOLD:
            self.newer_fold = fold
            self.superseded.set()
        self._heard = asyncio.get_running_loop().time()
        if sequence != self.sequence:
            async with self._news:
                self.sequence = sequence
                self._news.notify_all()

    async def wait(self, sequence: int, *, seconds: float = 10.0) -> None:
        """Wait until the projections contain everything up to a sequence.

        Raises `BehindError` if that takes longer than `seconds` seconds.
        """
        if self.sequence >= sequence:
            return
        try:
            async with asyncio.timeout(seconds):
                while self.sequence < sequence:
                    await self._hear(sequence)
        except TimeoutError as error:
            raise BehindError(f"the projections are at {self.sequence}, but {sequence} is needed") from error

    async def wait_beyond(self, beyond: int, *, seconds: float) -> bool:
        """Wait at most `seconds` seconds until the projections are beyond the sequence `beyond`. Return whether they
        are.
        """
        try:
            await self.wait(beyond + 1, seconds=seconds)
        except BehindError:
            return False
        return True

    async def _hear(self, sequence: int) -> None:
        """Wait at most `HEARTBEAT_SECONDS` seconds for a notification that the sequence is reached.

        If none arrives, one of the waiting callers queries the database.
        """
        async with self._news:
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await self._news.wait_for(lambda: self.sequence >= sequence)
            except TimeoutError:
                pass
            else:
                return
        if not self._asking.locked():
            async with self._asking:
                await self.current_sequence()
