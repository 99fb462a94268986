"""The states of agents over the whole log, with checkpoints from which each of them is folded quickly."""

import asyncio
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import AsyncIterator

from nemuri.operations.past_states import PastState
from nemuri.operations.session import OperationError
from nemuri_contracts.codec import AnyAgentEvent
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


class MindHistory:
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
        self._end, self._read, self._places = PastState(), 0, list[int]()
        self._firsts, self._repeated = Deduplicator(), set[int]()

    async def at(self, sequence: int) -> PastState:
        """Return the state after the agent's last event up to a position of the log. Raises `OperationError`."""
        async with self._lock:
            await self._extend()
            if sequence >= self._end.sequence:
                return self._end.copy()
            place = bisect_right([each.sequence for each in self._checkpoints], sequence) - 1
            state = self._checkpoints[place].copy()
            async for event in self._events(state.sequence, sequence):
                if event.sequence not in self._repeated:
                    state.evolve(event)
            return state

    async def places(self) -> list[int]:
        """Return the sequences of the agent's events, in order."""
        async with self._lock:
            await self._extend()
            return self._places

    async def _extend(self) -> None:
        """Fold what was appended since the last call; everything again if events were erased or parked meanwhile."""
        info = (await self._log.stream.stream_info(self._log.subjects.stream)).state
        [parked] = self._log.subjects.of_kind(EventParked)
        version = (info.first_seq, info.num_deleted, (await self._log.newest_on(parked)).sequence)
        if version != self._version:
            self._begin()
        self._version = version
        async for event in self._events(self._read, info.last_seq):
            if isinstance(event, AgentErased | MemoriesErased):
                self._checkpoints = [PastState()]
            [*fresh] = self._firsts.among([event])
            if not fresh:
                self._repeated.add(event.sequence or 0)
                continue
            self._end.evolve(event)
            self._places.append(event.sequence or 0)
            if self._end.events % CHECKPOINT_EVENTS == 0:
                self._checkpoints.append(self._end.copy())
            if self._end.events % TURN_EVENTS == 0:
                await asyncio.sleep(0)
        self._read = max(self._read, info.last_seq)

    async def _events(self, after: int, until: int) -> AsyncIterator[AnyAgentEvent]:
        async for batch in self._log.read(after, until, only=[self._log.subjects.agent_events(self._agent_id)]):
            if batch.unreadable:
                broken = batch.unreadable[0]
                raise OperationError(f"event {broken.sequence} on {broken.subject} cannot be read: {broken.reason}")
            for event in batch.events:
                if isinstance(event, AnyAgentEvent):
                    yield event


class MindHistories:
    """The histories of the agents that were asked for last."""

    def __init__(self) -> None:
        self._known = OrderedDict[str, tuple[Log, MindHistory]]()

    def of(self, log: Log, agent_id: str) -> MindHistory:
        """Return the history of an agent. Nothing is read before its first state is asked for."""
        known = self._known.pop(agent_id, None)
        if known is None or known[0] is not log:
            known = (log, MindHistory(log, agent_id))
        self._known[agent_id] = known
        while len(self._known) > MAX_AGENTS:
            self._known.popitem(last=False)
        return known[1]
