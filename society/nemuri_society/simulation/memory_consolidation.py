"""Consolidation of the memories of a host's agents (document 004 §4.3)."""

from collections import deque
from collections.abc import Sequence
from functools import partial
from time import perf_counter
from typing import Final

from nemuri_contracts.tiered import Because, ConsolidationBegun, Group, MemoryFormed
from nemuri_domain.tiered.aggregate import TieredMind
from nemuri_domain.tiered.consolidation import due_reason
from nemuri_domain.tiered.consolidation_decision import plan_for_mind
from nemuri_domain.tiered.fold import touched
from nemuri_domain.tiered.memory_merging import extract_memory, form_memory
from nemuri_infra.stores.vectors import vector_key
from nemuri_society.simulation.cooperative_yield import TimeSlice
from nemuri_society.simulation.hosted_minds import HostedMinds
from nemuri_society.simulation.memory_events import EMBEDDING_DIMENSION, EMBEDDING_MODEL, consolidation_event

WORDING_SECONDS: Final = 0.1
"""Maximum seconds per second that are spent on writing the texts of consolidated memories.

Some minutes after the start of a society all its agents have many groups to consolidate at once.
"""
MAX_WAITING_GROUPS: Final = 500
"""Number of queued groups of memories from which on no consolidation begins. Each group holds its source memories."""
STEP_SIZE: Final = 8
"""Maximum number of groups that are processed in one step."""
PendingGroup = tuple[ConsolidationBegun, Group, int]
"""A consolidation, one of its groups for which no memory is formed yet, and the highest access count of the agent's
memories when the consolidation began.
"""


class Consolidation:
    """The consolidations of a host's agents that have begun, with the groups that wait for their texts."""

    def __init__(self, minds: HostedMinds) -> None:
        """Create it without groups."""
        self.waiting: deque[PendingGroup] = deque()
        self._minds = minds

    async def run(self, second: float) -> None:
        """Begin due consolidations, then form memories from queued groups, oldest first, for at most `WORDING_SECONDS`
        seconds.

        No consolidation begins while `MAX_WAITING_GROUPS` groups are queued. The agents whose last consolidation is
        longest ago come first. The host calls this once a second.
        """
        time_slice = TimeSlice()
        for agent_id, hosted in self._minds.each():
            if len(self.waiting) >= MAX_WAITING_GROUPS:
                break
            if (reason := due_reason(hosted.agent, second)) is not None:
                self._minds.agents[agent_id] = self._minds.agents.pop(agent_id)
                self.begin(agent_id, reason, second)
            await time_slice()
        spent = 0.0
        while self.waiting and spent < WORDING_SECONDS:
            started = perf_counter()
            self._form([self.waiting.popleft() for _ in range(min(STEP_SIZE, len(self.waiting)))], second)
            spent += perf_counter() - started
            await time_slice()

    def begin(self, agent_id: str, reason: Because, second: float) -> None:
        """Begin a consolidation of an agent's memories, unless there is nothing to do."""
        mind = self._minds.aggregate(agent_id)
        plan = plan_for_mind(mind, partial(self._minds.cache.vectors, agent_id), reason, second)
        if plan and mind.agent is not None:
            event = consolidation_event(mind.agent, plan, second)
            self.queue_groups(event, self._minds.append(event, mind))

    def queue_groups(self, begun: ConsolidationBegun, mind: TieredMind) -> None:
        """Queue the groups of a consolidation for which no memory is formed yet."""
        pending = [group for group in begun.groups if any(memory.merging for memory in mind.find(group.memory_ids))]
        if pending:
            max_access_count = max(memory.access_count for memory in mind.memories.values())
            self.waiting.extend((begun, group, max_access_count) for group in pending)

    def drop_absent(self) -> None:
        """Drop the groups of agents that are no longer on this host."""
        self.waiting = deque(pending for pending in self.waiting if pending[0].agent_id in self._minds.agents)

    def _form(self, groups: Sequence[PendingGroup], second: float) -> None:
        """Form one memory from each group by extraction."""
        events = list(filter(None, (self._memory_formed(*group, second) for group in groups)))
        rows = self._minds.embedder.rows([formed.content for formed in events])
        for event, vector in zip(events, rows, strict=True):
            self._minds.append(event, self._minds.aggregate(event.agent_id, touched(event)), vector)

    def _memory_formed(
        self, begun: ConsolidationBegun, group: Group, max_access_count: int, second: float
    ) -> MemoryFormed | None:
        mind = self._minds.aggregate(begun.agent_id, group.memory_ids)
        sources = [memory for memory in mind.find(group.memory_ids) if memory.merging]
        if mind.agent is None or not sources:
            return None
        rules = mind.agent.rules.consolidation
        extract = extract_memory(sources, rules)
        return form_memory(
            begun, sources, extract, vector=vector_key(EMBEDDING_MODEL, EMBEDDING_DIMENSION, extract.content),
            most=max_access_count, rules=rules, nth=str(group.memory_ids[0]), second=second,
        )  # fmt: skip
