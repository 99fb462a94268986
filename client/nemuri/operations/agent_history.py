"""The states of agents at any position of the log, with checkpoints from which each of them is folded quickly."""

import asyncio
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime

from nemuri.operations.log_position_parsing import LogPosition
from nemuri.operations.past_states import Advance, PastState, extent, logged_events
from nemuri_contracts.erasure import AgentErased, MemoriesErased
from nemuri_contracts.parked_events import EventParked
from nemuri_domain.event_sourcing.deduplication import Deduplicator
from nemuri_infra.bus.event_log import Log

CHECKPOINT_EVENTS = 500
"""Number of an agent's events between two checkpoints."""
TURN_EVENTS = 50
"""Number of events that are folded at a time, so that other requests are answered meanwhile."""
MAX_AGENTS = 8
"""Maximum number of agents whose checkpoints are kept."""


class AgentHistory:
    """The states of one agent. Checkpoints share everything that did not change between them.

    They are dropped when something was erased from the log, so that no state shows what was forgotten for ever.
    """

    def __init__(self, log: Log, agent_id: str) -> None:
        self._log = log
        self._agent_id = agent_id
        self._lock = asyncio.Lock()
        self._version: tuple[object, ...] = ()
        self._begin()

    def _begin(self) -> None:
        self._checkpoints = [PastState()]
        self._end, self._read, self._events = PastState(), 0, list[tuple[int, datetime]]()
        self._firsts, self._repeated = Deduplicator(), set[int]()

    async def at(self, position: LogPosition, advance: Advance | None = None) -> PastState:
        """Return the state after the agent's last event up to a position; an empty state before its definition.

        `advance` is called with the progress of reading. Raises `OperationError` if an event cannot be decoded, and
        `LogPositionError` for a position outside the log.
        """
        (await extent(self._log)).check(position)
        async with self._lock:
            await self._extend(advance)
            beyond = (i for i, (sequence, at) in enumerate(self._events) if not position.covers(sequence, at))
            number = next(beyond, len(self._events))
            return await self._state_after(self._events[number - 1][0]) if number else PastState()

    async def after(self, sequence: int) -> PastState:
        """Return the state after the agent's last event up to a sequence, which may be outside the log.

        Raises `OperationError` if an event cannot be decoded.
        """
        async with self._lock:
            await self._extend()
            return await self._state_after(sequence)

    async def sequences(self) -> Sequence[int]:
        """Return the sequences of the agent's events, in order."""
        async with self._lock:
            await self._extend()
            return [sequence for sequence, _ in self._events]

    async def _state_after(self, sequence: int) -> PastState:
        if sequence >= self._end.sequence:
            return self._end.copy()
        number = bisect_right([state.sequence for state in self._checkpoints], sequence) - 1
        state = self._checkpoints[number].copy()
        async for event in logged_events(self._log, self._agent_id, state.sequence, sequence):
            if event.sequence not in self._repeated:
                state.evolve(event)
        return state

    async def _extend(self, advance: Advance | None = None) -> None:
        """Fold what was appended since the last call; everything again if events were erased or parked meanwhile."""
        info = (await self._log.stream.stream_info(self._log.subjects.stream)).state
        [parked] = self._log.subjects.of_kind(EventParked)
        erased = (info.first_seq, info.num_deleted, self._log.archive.revision)
        version = (*erased, (await self._log.newest_on(parked)).sequence)
        if version != self._version:
            self._begin()
        self._version = version
        async for event in logged_events(self._log, self._agent_id, self._read, info.last_seq, advance):
            if isinstance(event, AgentErased | MemoriesErased):
                self._checkpoints = [PastState()]
            [*fresh] = self._firsts.among([event])
            if not fresh:
                self._repeated.add(event.sequence or 0)
                continue
            self._end.evolve(event)
            self._events.append((event.sequence or 0, event.at))
            if self._end.events % CHECKPOINT_EVENTS == 0:
                self._checkpoints.append(self._end.copy())
            if self._end.events % TURN_EVENTS == 0:
                await asyncio.sleep(0)
        self._read = max(self._read, info.last_seq)


class AgentHistories:
    """The histories of the agents that were asked for last."""

    def __init__(self) -> None:
        self._known = OrderedDict[str, tuple[Log, AgentHistory]]()

    def of(self, log: Log, agent_id: str) -> AgentHistory:
        """Return the history of an agent. Nothing is read before its first state is asked for."""
        known = self._known.pop(agent_id, None)
        if known is None or known[0] is not log:
            known = (log, AgentHistory(log, agent_id))
        self._known[agent_id] = known
        while len(self._known) > MAX_AGENTS:
            self._known.popitem(last=False)
        return known[1]
