"""The tiered memories of a host's agents, as modules query them and as experiences become them (document 004 §4.6)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final, get_args
from uuid import UUID

import structlog
from pydantic import ValidationError

from nemuri_contracts.tiered import ExperienceRecorded, Module
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_domain.tiered.fold import moment_of, touched
from nemuri_domain.tiered.retrieval import ScoredMemory, recalled
from nemuri_infra.bus.event_log import Log
from nemuri_infra.errors.log_safe import log_safe
from nemuri_society.cognition.memory_interface import RetrievedMemory
from nemuri_society.simulation.cooperative_yield import TimeSlice
from nemuri_society.simulation.hosted_minds import HostedAgent, HostedMinds
from nemuri_society.simulation.memory_consolidation import Consolidation
from nemuri_society.simulation.memory_events import access_event, experience_event
from nemuri_society.simulation.shared_memories import SharedMemories

ACCESS_REPORT_SECONDS: Final = 10.0
"""Minimum seconds of the simulation between two events about an agent's accessed memories."""
STEP_SIZE: Final = 8
"""Maximum number of experiences that are processed in one step."""
CACHED_QUERIES: Final = 1_024
"""Maximum number of cached query vectors."""
MODULES: Final = frozenset(get_args(Module))

logger = structlog.get_logger()
PendingExperience = tuple[str, Mapping[str, Any], float]
"""Agent id, experience, and the second of the simulation at which it was reported."""


class AgentMemories:
    """The memories of the agents on this host. All times are seconds of the simulation clock."""

    def __init__(self, log: Log, residents: Iterable[str] = ()) -> None:
        """Create it without memories. What the agents `residents` share is found by the agents of this host."""
        self.minds = HostedMinds(log)
        self.consolidation = Consolidation(self.minds)
        self.on_recorded: Callable[[ExperienceRecorded], None] = lambda _event: None
        """Called with each experience that was important enough to be recorded."""
        self._shared = SharedMemories(log, self.minds, tuple(residents))
        self._experience_queue: list[PendingExperience] = []
        self._query_vector = lru_cache(CACHED_QUERIES)(lambda query: self.minds.embedder.rows([query])[0])

    def __len__(self) -> int:
        """Return the number of memories of all loaded agents, without those that are being consolidated."""
        return sum(hosted.agent.short + hosted.agent.long for hosted in self.minds.agents.values())

    async def stop(self) -> None:
        """End the calls of models that are under way."""
        await self.consolidation.stop()

    def close(self) -> None:
        """Drop all agents and close the cache. Queued events are not appended."""
        self.minds.close()

    def queue_load(self, agent_ids: Iterable[str]) -> None:
        """Queue agents whose memories `load` will read."""
        self.minds.queue_load(agent_ids)

    async def load(self) -> None:
        """Load the memories of the agents that were queued first, and continue their consolidations."""
        loaded, consolidations = await self.minds.load()
        for begun in consolidations:
            self.consolidation.queue_groups(begun, loaded[begun.agent_id])

    def drop(self, agent_ids: Iterable[str]) -> None:
        """Drop agents that have moved to another host, with their queued events and groups."""
        self.minds.drop(agent_ids)
        self.consolidation.drop_absent()

    def recall(
        self, agent_id: str, query: str, module: str, second: float, *, count: bool = True
    ) -> Sequence[RetrievedMemory]:
        """Return memories for a query, ranked by the retrieval pattern of the module: the agent's own, to each of which
        an access is counted unless `count` is false, and those that others share with it.

        An unknown module has the pattern `default`. Returns none while the agent's memories are not loaded.
        """
        hosted = self.minds.agents.get(agent_id)
        if hosted is None:
            return ()
        memory_module: Module = module if module in MODULES else "default"  # type: ignore[assignment]
        asked, shared = self._query_vector(query), self._shared.seen_by(agent_id)
        known = partial(self.minds.cache.memory, agent_id)
        found = recalled(self.minds.cache.index(agent_id), hosted.agent, known, asked, second, memory_module)
        if count:
            hosted.access_counts.update(candidate.memory_id for candidate, _ in found)
        if len(shared):
            others = recalled(shared, hosted.agent, self._shared.memory, asked, second, memory_module)
            most = hosted.agent.rules.pattern(memory_module).top
            found = sorted([*found, *others], key=_best_first)[:most]
        return [_retrieved(candidate, memory, agent_id) for candidate, memory in found]

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
            expected = self.minds.expected
            self._experience_queue += [entry for entry in batch if entry[0] in expected]
            self._record_batch([entry for entry in batch if entry[0] not in expected])
            await time_slice()

    async def consolidate(self, second: float) -> None:
        """Read what is newly shared, begin due consolidations, and form memories. The host calls this once a second."""
        await self._shared.refresh()
        await self.consolidation.run(second)

    async def flush(self, second: float, *, last: bool = False) -> None:
        """Append queued events to the log until one cannot be appended.

        Before that, queue an event about each agent's accesses if its last one is `ACCESS_REPORT_SECONDS` ago or `last`
        is True.
        """
        time_slice = TimeSlice()
        try:
            for agent_id, hosted in self.minds.each():
                if hosted.access_counts and (last or second - hosted.reported_at >= ACCESS_REPORT_SECONDS):
                    self._report_accesses(agent_id, hosted, second)
                await time_slice()
        finally:  # Events reach the log even if the disk of the cache is full.
            await self.minds.outbox.flush()

    def _record_batch(self, experiences: Sequence[PendingExperience]) -> None:
        events = list(filter(None, (self._experience_event(*experience) for experience in experiences)))
        rows = self.minds.embedder.rows([recorded.experience.content for recorded in events])
        for event, vector in zip(events, rows, strict=True):
            self.minds.append(event, self.minds.aggregate(event.agent_id, touched(event)), vector)
            self.on_recorded(event)
            if event.experience.type == "reflection":
                self.consolidation.begin(event.agent_id, "reflection", moment_of(event))

    def _experience_event(
        self, agent_id: str, experience: Mapping[str, Any], second: float
    ) -> ExperienceRecorded | None:
        hosted = self.minds.agents.get(agent_id)
        if hosted is None:
            return None
        try:
            return experience_event(hosted.agent, experience, second)
        except ValidationError as error:
            logger.warning("invalid experience", agent=agent_id, why=log_safe(error))
            return None

    def _report_accesses(self, agent_id: str, hosted: HostedAgent, second: float) -> None:
        mind = self.minds.aggregate(agent_id, hosted.access_counts)
        memories = list(mind.memories.values())[:1_000]
        event = access_event(agent_id, memories, hosted.access_counts, second) if memories else None
        hosted.access_counts.clear()
        hosted.reported_at = second
        if event is not None:
            self.minds.append(event, mind)


def _best_first(pair: tuple[ScoredMemory, TierMemory]) -> tuple[float, UUID]:
    return -pair[0].score, pair[0].memory_id


def _retrieved(candidate: ScoredMemory, memory: TierMemory, agent_id: str) -> RetrievedMemory:
    layer = candidate.layer if memory.agent_id == agent_id else "shared"
    return RetrievedMemory(memory.content, candidate.score, layer, memory.type)
