"""The tiered memories of a host's agents: folded from the log, recorded on it, and queried by modules (004 §4.6).

Memories are decided by events alone. The host keeps a local cache on disk in step with the events that it appends, so a
query needs no other process. A host that takes over an agent folds the same events again.
"""

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
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
from nemuri_contracts.event import derive
from nemuri_contracts.tiered import (
    Access,
    Because,
    ConsolidationBegun,
    ExperienceRecorded,
    Group,
    MemoriesAccessed,
    MemoryFormed,
    Module,
)
from nemuri_domain.cognition.memory_interface import RetrievedMemory
from nemuri_domain.tiered.aggregate import TieredMind, TiersAgent
from nemuri_domain.tiered.consolidation import due_reason
from nemuri_domain.tiered.consolidation_decision import plan_for_mind
from nemuri_domain.tiered.fold import evolve, evolve_at_its_time, moment_of, touched
from nemuri_domain.tiered.memory_formation import extract_memory, form_memory
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embeddings.hashing import HashingEmbedder
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.stores.memory_cache import MemoryCache
from nemuri_infra.stores.vectors import vector_key
from nemuri_services.simulation.cooperative_yield import TimeSlice
from nemuri_services.simulation.experience_events import DIMENSION, EMBEDDER, experience_event
from nemuri_services.simulation.outbox import Outbox

WORDING_SECONDS: Final = 0.1
"""Seconds per second spent on wording consolidated memories. After some minutes all agents have too many at once."""
MAX_WAITING_GROUPS: Final = 500
"""Waiting groups of memories from which on no consolidation begins. Each group holds its source memories."""
ACCESS_REPORT_SECONDS: Final = 10.0
"""Seconds between two events about accessed memories of an agent, at least."""
STEP_SIZE: Final = 8
"""Experiences or groups that are processed in one step, at most."""
CACHED_QUERIES: Final = 1_024
"""Cached query vectors, at most."""
MODULES: Final = frozenset(get_args(Module))

logger = structlog.get_logger()
Vector = NDArray[np.float32]
PendingExperience = tuple[str, Mapping[str, Any], float]
"""Agent id, experience, and the second at which it was reported."""
PendingGroup = tuple[ConsolidationBegun, Group, int]
"""A consolidation, one of its groups without words yet, and the agent's highest access count when it was decided."""


@dataclass(slots=True)
class CachedAgent:
    """The in-process state of one agent's memory."""

    agent: TiersAgent
    accessed: Counter[UUID] = field(default_factory=Counter)
    """Accesses since the last event about them."""
    told: float = 0.0
    """Second of that event."""


class AgentMemories:
    """The memories of the agents on this host. Times are seconds of the simulation clock."""

    def __init__(self, log: Log) -> None:
        """Create an empty cache."""
        self._log = log
        self._embedder = HashingEmbedder(DIMENSION)
        self._shelves = MemoryCache(DIMENSION)
        self._held: dict[str, CachedAgent] = {}
        self._expected: deque[tuple[str, ...]] = deque()
        self._lived: list[PendingExperience] = []
        self._outbox = Outbox(log)
        self._forming: deque[PendingGroup] = deque()
        self._vector = lru_cache(CACHED_QUERIES)(lambda query: self._embedder.rows([query])[0])

    def __len__(self) -> int:
        """Return the number of memories, without those that are being consolidated."""
        return sum(each.agent.short + each.agent.long for each in self._held.values())

    def close(self) -> None:
        """Drop all agents and close the cache."""
        self._held.clear()
        self._shelves.close()

    def expect(self, agent_ids: Iterable[str]) -> None:
        """Queue agents whose memories must be loaded."""
        self._expected.append(tuple(agent_ids))

    async def load(self) -> None:
        """Load the first queued agents by one read of the log. Does nothing if no agents are queued."""
        if not self._expected:
            return
        agent_ids = self._expected[0]
        minds, begun = {each: TieredMind.of(each) for each in agent_ids}, list[ConsolidationBegun]()
        subjects = [self._log.subjects.mind(each) for each in minds]
        async for batch in self._log.read(until=await self._log.last_sequence(), only=subjects):
            for event in batch.events:
                agent_id = str(event.agent_id)
                minds[agent_id] = evolve_at_its_time(minds[agent_id], event)  # type: ignore[arg-type]
                if isinstance(event, ConsolidationBegun):
                    begun.append(event)
        turns = TimeSlice()
        for agent_id, tiers in minds.items():
            if not self._expected or self._expected[0] is not agent_ids:
                return  # The agents have moved to another host.
            there = list(tiers.memories.values())
            rows = self._embedder.rows([each.content for each in there])
            self._shelves.drop(agent_id)
            self._shelves.take(there, {each.memory_id: row for each, row in zip(there, rows, strict=True)})
            await turns()
        if not self._expected or self._expected[0] is not agent_ids:
            return
        self._expected.popleft()
        self._held |= {
            agent_id: CachedAgent(tiers.agent) for agent_id, tiers in minds.items() if tiers.agent is not None
        }
        for each in begun:
            self._to_form(each, minds[each.agent_id])

    def drop(self, agent_ids: Iterable[str]) -> None:
        """Drop agents that have moved to another host."""
        gone = set(agent_ids)
        for agent_id in gone:
            self._held.pop(agent_id, None)
            self._shelves.drop(agent_id)
        self._expected = deque(each for each in self._expected if gone.isdisjoint(each))
        self._outbox.keep(self._held)
        self._forming = deque(each for each in self._forming if each[0].agent_id in self._held)

    def recall(self, agent_id: str, query: str, module: str, second: float) -> Sequence[RetrievedMemory]:
        """Return an agent's memories for a query by the rules of the module. Counts as access."""
        held = self._held.get(agent_id)
        if held is None:
            return ()
        asked: Module = module if module in MODULES else "default"  # type: ignore[assignment]
        known = partial(self._shelves.memory, agent_id)
        found = self._shelves.shelf(agent_id).recall(held.agent, known, self._vector(query), second, asked)
        held.accessed.update(each.memory_id for each, _ in found)
        return [RetrievedMemory(memory.content, each.score, each.layer, memory.type) for each, memory in found]

    def record(self, agent_id: str, experiences: Iterable[Mapping[str, Any]], second: float) -> None:
        """Queue experiences of an agent. They can be retrieved after the next beat."""
        self._lived.extend((agent_id, each, second) for each in experiences)

    async def remember(self) -> None:
        """Record the queued experiences that are important enough. Called on every beat; yields to the event loop.

        A reflection triggers a consolidation.
        """
        left, turns = len(self._lived), TimeSlice()
        while left > 0:
            some, self._lived = self._lived[:STEP_SIZE], self._lived[STEP_SIZE:]
            left -= len(some)
            expected = {each for agents in self._expected for each in agents}
            self._lived += [each for each in some if each[0] in expected]
            self._remember([each for each in some if each[0] not in expected])
            await turns()

    async def consolidate(self, second: float) -> None:
        """Begin due consolidations and word waiting groups, oldest first. Called once a second.

        Wording takes `WORDING_SECONDS` at most. No consolidation begins while `MAX_WAITING_GROUPS` groups are waiting.
        Afterwards the agents whose last turn is longest ago are first.
        """
        turns = TimeSlice()
        for agent_id, held in list(self._held.items()):
            if len(self._forming) >= MAX_WAITING_GROUPS:
                break
            gone = self._held.get(agent_id) is not held
            if not gone and (because := due_reason(held.agent, second)) is not None:
                self._held[agent_id] = self._held.pop(agent_id)
                self._consolidate(agent_id, because, second)
            await turns()
        spent = 0.0
        while self._forming and spent < WORDING_SECONDS:
            began = perf_counter()
            self._form([self._forming.popleft() for _ in range(min(STEP_SIZE, len(self._forming)))], second)
            spent += perf_counter() - began
            await turns()

    def _remember(self, lived: Sequence[PendingExperience]) -> None:
        found = list(filter(None, (self._recorded(*each) for each in lived)))
        rows = self._embedder.rows([each.experience.content for each in found])
        for event, vector in zip(found, rows, strict=True):
            self._happened(event, self._mind(event.agent_id, touched(event)), vector)
            if event.experience.type == "reflection":
                self._consolidate(event.agent_id, "reflection", moment_of(event))

    def _recorded(self, agent_id: str, told: Mapping[str, Any], second: float) -> ExperienceRecorded | None:
        held = self._held.get(agent_id)
        if held is None:
            return None
        try:
            return experience_event(agent_id, told, second, held.agent.rules)
        except ValidationError as error:
            logger.warning("invalid experience", agent=agent_id, why=log_safe(error))
            return None

    async def flush(self, second: float, *, last: bool = False) -> None:
        """Append waiting events, as many as possible now.

        Accesses are reported every `ACCESS_REPORT_SECONDS` seconds, and with `last`.
        """
        turns = TimeSlice()
        try:
            for agent_id, held in list(self._held.items()):
                due = last or second - held.told >= ACCESS_REPORT_SECONDS
                if held.accessed and due and self._held.get(agent_id) is held:
                    self._tell_accesses(agent_id, held, second)
                await turns()
        finally:  # Events reach the log even if the disk is full.
            await self._outbox.flush()

    def _consolidate(self, agent_id: str, because: Because, second: float) -> None:
        tiers = self._mind(agent_id)
        decided = plan_for_mind(tiers, partial(self._shelves.vectors, agent_id), because, second)
        if not decided:
            return
        event = ConsolidationBegun(
            event_id=derive(f"{agent_id}/{because}/{second:.2f}", ConsolidationBegun.kind_of()),
            agent_id=agent_id,
            because=because,
            groups=decided.groups,
            deleted=decided.deleted,
            second=second,
        )
        self._to_form(event, self._happened(event, tiers))

    def _to_form(self, begun: ConsolidationBegun, tiers: TieredMind) -> None:
        left = [group for group in begun.groups if any(each.going for each in tiers.known(group.memory_ids))]
        if left:
            most = max(each.access_count for each in tiers.memories.values())
            self._forming.extend((begun, group, most) for group in left)

    def _form(self, some: Sequence[PendingGroup], second: float) -> None:
        """Word groups extractively. Consolidation of a thousand agents is not worth as many model requests."""
        found = list(filter(None, (self._formed(*each, second) for each in some)))
        rows = self._embedder.rows([each.content for each in found])
        for event, vector in zip(found, rows, strict=True):
            self._happened(event, self._mind(event.agent_id, touched(event)), vector)

    def _formed(self, begun: ConsolidationBegun, group: Group, most: int, second: float) -> MemoryFormed | None:
        tiers = self._mind(begun.agent_id, group.memory_ids)
        sources = [each for each in tiers.known(group.memory_ids) if each.going]
        if tiers.agent is None or not sources:
            return None
        rules = tiers.agent.rules.consolidation
        written = extract_memory(sources, rules)
        return form_memory(
            begun, sources, written, vector=vector_key(EMBEDDER, DIMENSION, written.content), most=most, rules=rules,
            nth=str(group.memory_ids[0]), second=second,
        )  # fmt: skip

    def _tell_accesses(self, agent_id: str, held: CachedAgent, second: float) -> None:
        tiers = self._mind(agent_id, held.accessed)
        there = list(tiers.memories.values())[:1_000]
        accessed = tuple(Access(memory_id=each.memory_id, times=held.accessed[each.memory_id]) for each in there)
        held.accessed.clear()
        held.told = second
        if not accessed:
            return
        counts = [(each.memory_id, each.access_count) for each in there]
        event = MemoriesAccessed(
            event_id=derive(f"{agent_id}/{counts}", MemoriesAccessed.kind_of()),
            agent_id=agent_id,
            accessed=accessed,
            second=second,
        )
        self._happened(event, tiers)

    def _mind(self, agent_id: str, memory_ids: Iterable[UUID] | None = None) -> TieredMind:
        """Return the aggregate of an agent with some of its memories; all if `memory_ids` is None."""
        return TieredMind(self._held[agent_id].agent, Map(self._shelves.memories(agent_id, memory_ids)))

    def _happened(self, event: AnyAgentEvent, before: TieredMind, vector: Vector | None = None) -> TieredMind:
        """Queue an event for the log and apply it locally. Return the aggregate after it, with the memories that it
        touches.
        """
        self._outbox.put(event)
        agent_id, after = str(event.agent_id), evolve(before, event, moment_of(event))
        changed = [each for name, each in after.memories.items() if before.memories.get(name) is not each]
        self._shelves.take(changed, {} if vector is None else {event.event_id: vector})
        self._shelves.drop(agent_id, [each for each in before.memories if each not in after.memories])
        if after.agent is not None:
            self._held[agent_id].agent = after.agent
        return after
