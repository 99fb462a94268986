"""The tiered memories of a host's agents: loaded from the log, recorded in the log, and queried by modules (document
004 §4.6).

The log is the only source of the memories. The host applies the events that it appends to a local cache on disk, so a
query needs no other process. A host that takes over an agent folds the same events again.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from time import perf_counter
from typing import Any, Final, get_args
from uuid import UUID

import numpy as np
import structlog
from immutables import Map
from numpy.typing import NDArray
from pydantic import ValidationError

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.tiered import (
    Because,
    ConsolidationBegun,
    ExperienceRecorded,
    Group,
    MemoryFormed,
    Module,
)
from nemuri_domain.tiered.aggregate import TieredMind, TiersAgent
from nemuri_domain.tiered.consolidation import due_reason
from nemuri_domain.tiered.consolidation_decision import plan_for_mind
from nemuri_domain.tiered.fold import evolve, evolve_at_its_time, moment_of, touched
from nemuri_domain.tiered.memory_merging import extract_memory, form_memory
from nemuri_domain.tiered.retrieval import recalled
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.stores.memory_cache import MemoryCache
from nemuri_infra.stores.vectors import vector_key
from nemuri_society.cognition.memory_interface import RetrievedMemory
from nemuri_society.simulation.cooperative_yield import TimeSlice
from nemuri_society.simulation.memory_events import (
    EMBEDDING_DIMENSION,
    EMBEDDING_MODEL,
    access_event,
    consolidation_event,
    experience_event,
)
from nemuri_society.simulation.outbox import Outbox

WORDING_SECONDS: Final = 0.1
"""Maximum seconds per second that are spent on writing the texts of consolidated memories.

Some minutes after the start of a society all its agents have many groups to consolidate at once.
"""
MAX_WAITING_GROUPS: Final = 500
"""Number of queued groups of memories from which on no consolidation begins. Each group holds its source memories."""
ACCESS_REPORT_SECONDS: Final = 10.0
"""Minimum seconds of the simulation between two events about an agent's accessed memories."""
STEP_SIZE: Final = 8
"""Maximum number of experiences or groups that are processed in one step."""
CACHED_QUERIES: Final = 1_024
"""Maximum number of cached query vectors."""
MODULES: Final = frozenset(get_args(Module))

logger = structlog.get_logger()
Vector = NDArray[np.float32]
PendingExperience = tuple[str, Mapping[str, Any], float]
"""Agent id, experience, and the second of the simulation at which it was reported."""
PendingGroup = tuple[ConsolidationBegun, Group, int]
"""A consolidation, one of its groups for which no memory is formed yet, and the highest access count of the agent's
memories when the consolidation began.
"""


@dataclass(slots=True)
class CachedAgent:
    """The state of one agent's memory that is kept in RAM."""

    agent: TiersAgent
    access_counts: Counter[UUID] = field(default_factory=Counter)
    """Accesses by memory id since the last event about accesses."""
    reported_at: float = 0.0
    """Second of the simulation of the last event about accesses."""


class AgentMemories:
    """The memories of the agents on this host. All times are seconds of the simulation clock."""

    def __init__(self, log: Log) -> None:
        """Create an empty cache."""
        self._log = log
        self.on_recorded: Callable[[ExperienceRecorded], None] = lambda _event: None
        """Called with each experience that was important enough to be recorded."""
        self._embedder = BuiltInEmbedder(EMBEDDING_DIMENSION)
        self._cache = MemoryCache(EMBEDDING_DIMENSION)
        self._agents: dict[str, CachedAgent] = {}
        self._load_queue: deque[tuple[str, ...]] = deque()
        self._experience_queue: list[PendingExperience] = []
        self._outbox = Outbox(log)
        self._group_queue: deque[PendingGroup] = deque()
        self._query_vector = lru_cache(CACHED_QUERIES)(lambda query: self._embedder.rows([query])[0])

    def __len__(self) -> int:
        """Return the number of memories of all loaded agents, without those that are being consolidated."""
        return sum(agent.agent.short + agent.agent.long for agent in self._agents.values())

    def close(self) -> None:
        """Drop all agents and close the cache. Queued events are not appended."""
        self._agents.clear()
        self._cache.close()

    def queue_load(self, agent_ids: Iterable[str]) -> None:
        """Queue agents whose memories `load` will read."""
        self._load_queue.append(tuple(agent_ids))

    async def load(self) -> None:
        """Load the memories of the agents that were queued first, in one read of the log.

        Does nothing if no agents are queued. If the agents leave this host meanwhile, they are not added.
        """
        if not self._load_queue:
            return
        agent_ids = self._load_queue[0]
        aggregates, consolidations = {name: TieredMind.of(name) for name in agent_ids}, list[ConsolidationBegun]()
        subjects = [self._log.subjects.agent_events(name) for name in aggregates]
        async for batch in self._log.read(until=await self._log.last_sequence(), only=subjects):
            for event in batch.events:
                agent_id = str(event.agent_id)
                aggregates[agent_id] = evolve_at_its_time(aggregates[agent_id], event)  # type: ignore[arg-type]
                if isinstance(event, ConsolidationBegun):
                    consolidations.append(event)
        time_slice = TimeSlice()
        for agent_id, aggregate in aggregates.items():
            if not self._load_queue or self._load_queue[0] is not agent_ids:
                return  # The agents have moved to another host.
            memories = list(aggregate.memories.values())
            rows = self._embedder.rows([memory.content for memory in memories])
            self._cache.drop(agent_id)
            self._cache.add(memories, {memory.memory_id: row for memory, row in zip(memories, rows, strict=True)})
            await time_slice()
        if not self._load_queue or self._load_queue[0] is not agent_ids:
            return
        self._load_queue.popleft()
        self._agents |= {
            agent_id: CachedAgent(aggregate.agent)
            for agent_id, aggregate in aggregates.items()
            if aggregate.agent is not None
        }
        for consolidation in consolidations:
            self._queue_groups(consolidation, aggregates[consolidation.agent_id])

    def drop(self, agent_ids: Iterable[str]) -> None:
        """Drop agents that have moved to another host, with their queued events and groups."""
        gone = set(agent_ids)
        for agent_id in gone:
            self._agents.pop(agent_id, None)
            self._cache.drop(agent_id)
        self._load_queue = deque(load for load in self._load_queue if gone.isdisjoint(load))
        self._outbox.keep_only(self._agents)
        self._group_queue = deque(group for group in self._group_queue if group[0].agent_id in self._agents)

    def recall(
        self, agent_id: str, query: str, module: str, second: float, *, count: bool = True
    ) -> Sequence[RetrievedMemory]:
        """Return an agent's memories for a query, ranked by the retrieval pattern of the module, and count an access to
        each, unless `count` is false.

        An unknown module has the pattern `default`. Returns none while the agent's memories are not loaded.
        """
        cached = self._agents.get(agent_id)
        if cached is None:
            return ()
        memory_module: Module = module if module in MODULES else "default"  # type: ignore[assignment]
        known = partial(self._cache.memory, agent_id)
        asked = self._query_vector(query)
        found = recalled(self._cache.index(agent_id), cached.agent, known, asked, second, memory_module)
        if count:
            cached.access_counts.update(candidate.memory_id for candidate, _ in found)
        return [
            RetrievedMemory(memory.content, candidate.score, candidate.layer, memory.type)
            for candidate, memory in found
        ]

    def queue_experiences(self, agent_id: str, experiences: Iterable[Mapping[str, Any]], second: float) -> None:
        """Queue experiences of an agent. They can be retrieved after the next `record_queued`."""
        self._experience_queue.extend((agent_id, experience, second) for experience in experiences)

    async def record_queued(self) -> None:
        """Record the queued experiences that are important enough. Experiences of agents whose memories are not loaded
        yet stay queued.

        A reflection triggers a consolidation. The host calls this on every beat. It yields to the event loop between
        two steps.
        """
        remaining, time_slice = len(self._experience_queue), TimeSlice()
        while remaining > 0:
            batch, self._experience_queue = self._experience_queue[:STEP_SIZE], self._experience_queue[STEP_SIZE:]
            remaining -= len(batch)
            expected = {agent for agents in self._load_queue for agent in agents}
            self._experience_queue += [entry for entry in batch if entry[0] in expected]
            self._record_batch([entry for entry in batch if entry[0] not in expected])
            await time_slice()

    async def consolidate(self, second: float) -> None:
        """Begin due consolidations, then form memories from queued groups, oldest first, for at most `WORDING_SECONDS`
        seconds.

        No consolidation begins while `MAX_WAITING_GROUPS` groups are queued. The agents whose last consolidation is
        longest ago come first. The host calls this once a second.
        """
        time_slice = TimeSlice()
        for agent_id, cached in list(self._agents.items()):
            if len(self._group_queue) >= MAX_WAITING_GROUPS:
                break
            gone = self._agents.get(agent_id) is not cached
            if not gone and (reason := due_reason(cached.agent, second)) is not None:
                self._agents[agent_id] = self._agents.pop(agent_id)
                self._begin_consolidation(agent_id, reason, second)
            await time_slice()
        spent = 0.0
        while self._group_queue and spent < WORDING_SECONDS:
            started = perf_counter()
            self._form_memories(
                [self._group_queue.popleft() for _ in range(min(STEP_SIZE, len(self._group_queue)))], second
            )
            spent += perf_counter() - started
            await time_slice()

    def _record_batch(self, experiences: Sequence[PendingExperience]) -> None:
        events = list(filter(None, (self._experience_event(*experience) for experience in experiences)))
        rows = self._embedder.rows([recorded.experience.content for recorded in events])
        for event, vector in zip(events, rows, strict=True):
            self._append_and_apply(event, self._aggregate(event.agent_id, touched(event)), vector)
            self.on_recorded(event)
            if event.experience.type == "reflection":
                self._begin_consolidation(event.agent_id, "reflection", moment_of(event))

    def _experience_event(
        self, agent_id: str, experience: Mapping[str, Any], second: float
    ) -> ExperienceRecorded | None:
        cached = self._agents.get(agent_id)
        if cached is None:
            return None
        try:
            return experience_event(agent_id, experience, second, cached.agent.rules)
        except ValidationError as error:
            logger.warning("invalid experience", agent=agent_id, why=log_safe(error))
            return None

    async def flush(self, second: float, *, last: bool = False) -> None:
        """Append queued events to the log until one cannot be appended.

        Before that, queue an event about each agent's accesses if its last one is `ACCESS_REPORT_SECONDS` ago or `last`
        is True.
        """
        time_slice = TimeSlice()
        try:
            for agent_id, cached in list(self._agents.items()):
                due = last or second - cached.reported_at >= ACCESS_REPORT_SECONDS
                if cached.access_counts and due and self._agents.get(agent_id) is cached:
                    self._report_accesses(agent_id, cached, second)
                await time_slice()
        finally:  # Events reach the log even if the disk of the cache is full.
            await self._outbox.flush()

    def _begin_consolidation(self, agent_id: str, reason: Because, second: float) -> None:
        aggregate = self._aggregate(agent_id)
        plan = plan_for_mind(aggregate, partial(self._cache.vectors, agent_id), reason, second)
        if not plan:
            return
        event = consolidation_event(agent_id, plan, second)
        self._queue_groups(event, self._append_and_apply(event, aggregate))

    def _queue_groups(self, begun: ConsolidationBegun, aggregate: TieredMind) -> None:
        pending = [
            group for group in begun.groups if any(memory.merging for memory in aggregate.find(group.memory_ids))
        ]
        if pending:
            max_access_count = max(memory.access_count for memory in aggregate.memories.values())
            self._group_queue.extend((begun, group, max_access_count) for group in pending)

    def _form_memories(self, groups: Sequence[PendingGroup], second: float) -> None:
        """Form one memory from each group by extraction. Model requests would cost too much for a thousand agents."""
        events = list(filter(None, (self._memory_formed(*group, second) for group in groups)))
        rows = self._embedder.rows([formed.content for formed in events])
        for event, vector in zip(events, rows, strict=True):
            self._append_and_apply(event, self._aggregate(event.agent_id, touched(event)), vector)

    def _memory_formed(
        self, begun: ConsolidationBegun, group: Group, max_access_count: int, second: float
    ) -> MemoryFormed | None:
        aggregate = self._aggregate(begun.agent_id, group.memory_ids)
        sources = [memory for memory in aggregate.find(group.memory_ids) if memory.merging]
        if aggregate.agent is None or not sources:
            return None
        rules = aggregate.agent.rules.consolidation
        extract = extract_memory(sources, rules)
        return form_memory(
            begun, sources, extract, vector=vector_key(EMBEDDING_MODEL, EMBEDDING_DIMENSION, extract.content),
            most=max_access_count, rules=rules, nth=str(group.memory_ids[0]), second=second,
        )  # fmt: skip

    def _report_accesses(self, agent_id: str, cached: CachedAgent, second: float) -> None:
        aggregate = self._aggregate(agent_id, cached.access_counts)
        memories = list(aggregate.memories.values())[:1_000]
        event = access_event(agent_id, memories, cached.access_counts, second) if memories else None
        cached.access_counts.clear()
        cached.reported_at = second
        if event is not None:
            self._append_and_apply(event, aggregate)

    def _aggregate(self, agent_id: str, memory_ids: Iterable[UUID] | None = None) -> TieredMind:
        """Return the aggregate of an agent with the memories in `memory_ids`, or with all memories if `memory_ids` is
        None.
        """
        return TieredMind(self._agents[agent_id].agent, Map(self._cache.memories(agent_id, memory_ids)))

    def _append_and_apply(self, event: AnyAgentEvent, before: TieredMind, vector: Vector | None = None) -> TieredMind:
        """Queue an event for the log, apply it to the cache, and return the aggregate after the event.

        `before` must contain the memories that the event changes. `vector` is the vector of the memory that the event
        adds.
        """
        self._outbox.put(event)
        agent_id, after = str(event.agent_id), evolve(before, event, moment_of(event))
        changed = [memory for name, memory in after.memories.items() if before.memories.get(name) is not memory]
        self._cache.add(changed, {} if vector is None else {event.event_id: vector})
        self._cache.drop(agent_id, [memory for memory in before.memories if memory not in after.memories])
        if after.agent is not None:
            self._agents[agent_id].agent = after.agent
        return after
