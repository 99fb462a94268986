"""The tiered memories of a host's agents: loaded from the log, and changed by the events that the host appends to it.

The log is the only source of the memories. The host applies its own events to a cache on disk, so nothing of this needs
another process. A host that takes over an agent folds the same events again.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
from immutables import Map
from numpy.typing import NDArray

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.tiered import ConsolidationBegun
from nemuri_domain.tiered.aggregate import TieredMind, TiersAgent
from nemuri_domain.tiered.fold import evolve, evolve_at_its_time, moment_of
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.stores.memory_cache import MemoryCache
from nemuri_society.simulation.cooperative_yield import TimeSlice
from nemuri_society.simulation.memory_events import EMBEDDING_DIMENSION
from nemuri_society.simulation.outbox import Outbox

Vector = NDArray[np.float32]
LoadedAgents = tuple[Mapping[str, TieredMind], Sequence[ConsolidationBegun]]
"""The agents of a load by id, and all their consolidations in order."""


@dataclass(slots=True)
class HostedAgent:
    """The state of one agent's memory that is kept in RAM."""

    agent: TiersAgent
    access_counts: Counter[UUID] = field(default_factory=Counter)
    """Accesses by memory id since the last event about accesses."""
    reported_at: float = 0.0
    """Second of the simulation of the last event about accesses."""


async def read_minds(log: Log, agent_ids: Iterable[str], until: int) -> LoadedAgents:
    """Return the memories of agents after the events of the log up to a sequence, and all their consolidations."""
    minds, consolidations = {name: TieredMind.of(name) for name in agent_ids}, list[ConsolidationBegun]()
    async for batch in log.read(until=until, only=[log.subjects.agent_events(name) for name in minds]):
        for event in batch.events:
            agent_id = str(event.agent_id)
            minds[agent_id] = evolve_at_its_time(minds[agent_id], event)  # type: ignore[arg-type]
            if isinstance(event, ConsolidationBegun):
                consolidations.append(event)
    return minds, consolidations


class HostedMinds:
    """The agents of a host with their memories."""

    def __init__(self, log: Log) -> None:
        """Create it without agents."""
        self.agents: dict[str, HostedAgent] = {}
        self.embedder = BuiltInEmbedder(EMBEDDING_DIMENSION)
        self.cache = MemoryCache(EMBEDDING_DIMENSION)
        self.outbox = Outbox(log)
        self._log = log
        self._queue: deque[tuple[str, ...]] = deque()

    def close(self) -> None:
        """Drop all agents and close the cache. Queued events are not appended."""
        self.agents.clear()
        self.cache.close()

    @property
    def expected(self) -> set[str]:
        """Return the agents that are queued to be loaded."""
        return {agent_id for agent_ids in self._queue for agent_id in agent_ids}

    def queue_load(self, agent_ids: Iterable[str]) -> None:
        """Queue agents whose memories `load` will read."""
        self._queue.append(tuple(agent_ids))

    async def load(self) -> LoadedAgents:
        """Load the memories of the agents that were queued first, in one read of the log, and return them.

        Returns none if no agents are queued, or if they leave this host meanwhile.
        """
        if not self._queue:
            return {}, ()
        agent_ids = self._queue[0]
        minds, consolidations = await read_minds(self._log, agent_ids, await self._log.last_sequence())
        time_slice = TimeSlice()
        for agent_id, mind in minds.items():
            if not self._queue or self._queue[0] is not agent_ids:
                return {}, ()  # The agents have moved to another host.
            memories = list(mind.memories.values())
            rows = self.embedder.rows([memory.content for memory in memories])
            self.cache.drop(agent_id)
            self.cache.add(memories, {memory.memory_id: row for memory, row in zip(memories, rows, strict=True)})
            await time_slice()
        if not self._queue or self._queue[0] is not agent_ids:
            return {}, ()
        self._queue.popleft()
        self.agents |= {name: HostedAgent(mind.agent) for name, mind in minds.items() if mind.agent is not None}
        return minds, consolidations

    def drop(self, agent_ids: Iterable[str]) -> None:
        """Drop agents that have moved to another host, with their queued events."""
        gone = set(agent_ids)
        for agent_id in gone:
            self.agents.pop(agent_id, None)
            self.cache.drop(agent_id)
        self._queue = deque(load for load in self._queue if gone.isdisjoint(load))
        self.outbox.keep_only(self.agents)

    def each(self) -> Iterator[tuple[str, HostedAgent]]:
        """Yield the agents that are on this host when their turn comes, while others come and go."""
        for agent_id, hosted in list(self.agents.items()):
            if self.agents.get(agent_id) is hosted:
                yield agent_id, hosted

    def aggregate(self, agent_id: str, memory_ids: Iterable[UUID] | None = None) -> TieredMind:
        """Return the aggregate of an agent with the memories in `memory_ids`, or with all memories if `memory_ids` is
        None.
        """
        return TieredMind(self.agents[agent_id].agent, Map(self.cache.memories(agent_id, memory_ids)))

    def append(self, event: AnyAgentEvent, before: TieredMind, vector: Vector | None = None) -> TieredMind:
        """Queue an event for the log, apply it, and return the aggregate after the event.

        `before` must contain the memories that the event changes. `vector` is the vector of the memory that the event
        adds.
        """
        self.outbox.put(event)
        return self.apply(event, before, vector)

    def apply(self, event: AnyAgentEvent, before: TieredMind, vector: Vector | None = None) -> TieredMind:
        """Apply an event that is on the log, and return the aggregate after it. The arguments are those of `append`."""
        agent_id, after = str(event.agent_id), evolve(before, event, moment_of(event))
        changed = [memory for name, memory in after.memories.items() if before.memories.get(name) is not memory]
        self.cache.add(changed, {} if vector is None else {event.event_id: vector})
        self.cache.drop(agent_id, [memory for memory in before.memories if memory not in after.memories])
        if after.agent is not None:
            self.agents[agent_id].agent = after.agent
        return after
