"""Consolidation of the memories of a host's agents (document 004 §4.3)."""

import asyncio
from collections import deque
from collections.abc import Sequence
from functools import partial
from time import perf_counter
from typing import Final

from nemuri_contracts.tiered import Because, ConsolidationBegun, Group, MemoryFormed
from nemuri_domain.tiered.aggregate import TieredMind, TierMemory
from nemuri_domain.tiered.consolidation import due_reason
from nemuri_domain.tiered.consolidation_decision import plan_for_mind
from nemuri_domain.tiered.fold import touched
from nemuri_domain.tiered.memory_merging import NO_MODEL_USAGE, MemoryText, extract_memory, form_memory
from nemuri_infra.models.chat import Reply
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.stores.vectors import vector_key
from nemuri_society.simulation.cooperative_yield import TimeSlice
from nemuri_society.simulation.hosted_minds import HostedMinds
from nemuri_society.simulation.memory_events import EMBEDDING_DIMENSION, EMBEDDING_MODEL, consolidation_event
from nemuri_society.simulation.memory_wording import MemoryWording

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
        """Create it without groups. Rules write the texts until `wording` is set."""
        self.wording: MemoryWording | None = None
        self.waiting: deque[PendingGroup] = deque()
        self._for_model: deque[PendingGroup] = deque()
        """Groups of different memories, which wait for a call of a language model."""
        self._writing: set[asyncio.Task[None]] = set()
        self._minds = minds

    async def run(self, second: float) -> None:
        """Begin due consolidations, then form memories from queued groups, oldest first, for at most `WORDING_SECONDS`
        seconds.

        No consolidation begins while `MAX_WAITING_GROUPS` groups are queued. The agents whose last consolidation is
        longest ago come first. The host calls this once a second.
        """
        time_slice, before = TimeSlice(), len(self._for_model)
        for agent_id, hosted in self._minds.each():
            if len(self.waiting) + len(self._for_model) - before >= MAX_WAITING_GROUPS:
                break
            if (reason := due_reason(hosted.agent, second)) is not None:
                self._minds.agents[agent_id] = self._minds.agents.pop(agent_id)
                self.begin(agent_id, reason, second)
            await time_slice()
        self._ask_model(second)
        spent = 0.0
        while self.waiting and spent < WORDING_SECONDS:
            started = perf_counter()
            self._form([self.waiting.popleft() for _ in range(min(STEP_SIZE, len(self.waiting)))], second)
            spent += perf_counter() - started
            await time_slice()

    async def stop(self) -> None:
        """Cancel the calls under way. Their groups get their texts when their agents are loaded again."""
        await cancel_and_wait(*self._writing)

    def begin(self, agent_id: str, reason: Because, second: float) -> None:
        """Begin a consolidation of an agent's memories, unless there is nothing to do."""
        mind = self._minds.aggregate(agent_id)
        plan = plan_for_mind(mind, partial(self._minds.cache.vectors, agent_id), reason, second)
        if plan and mind.agent is not None:
            event = consolidation_event(mind.agent, plan, second)
            self.queue_groups(event, self._minds.append(event, mind))

    def queue_groups(self, begun: ConsolidationBegun, mind: TieredMind) -> None:
        """Queue the groups of a consolidation for which no memory is formed yet. If their memories say different things
        and there is a model, they wait for a call, because rules would lose some of it.
        """
        most = max((memory.access_count for memory in mind.memories.values()), default=0)
        for group in begun.groups:
            memories = mind.find(group.memory_ids)
            if any(memory.merging for memory in memories):
                differs = len({memory.content for memory in memories}) > 1
                (self._for_model if differs and self._has_model else self.waiting).append((begun, group, most))

    @property
    def _has_model(self) -> bool:
        return self.wording is not None and self.wording.available

    def drop_absent(self) -> None:
        """Drop the groups of agents that are no longer on this host."""
        for queue in (self.waiting, self._for_model):
            kept = [pending for pending in queue if pending[0].agent_id in self._minds.agents]
            queue.clear()
            queue.extend(kept)

    def _ask_model(self, second: float) -> None:
        """Ask the model for the texts of groups, as far as the allowance goes. Too many groups are left to rules."""
        for task in [task for task in self._writing if task.done()]:
            self._writing.discard(task)
            task.result()
        wording, agents = self.wording, len(self._minds.agents)
        if wording is None or not self._has_model:
            self.waiting.extend(self._for_model)
            self._for_model.clear()
            return
        wording.allowance.grow(agents, second)
        while self._for_model and wording.allowance.take():
            writing = asyncio.ensure_future(self._write(wording, self._for_model.popleft(), second))
            self._writing.add(writing)
        while len(self._for_model) > wording.allowance.most(agents):
            self.waiting.append(self._for_model.popleft())

    async def _write(self, wording: MemoryWording, pending: PendingGroup, second: float) -> None:
        """Form the memory of a group with a text of the model, unless the agent has left meanwhile."""
        begun, group, _ = pending
        sources = self._sources(begun, group)
        if not sources:
            return
        rules = self._minds.agents[begun.agent_id].agent.rules.consolidation
        reply = await wording.text(begun.agent_id, sources, rules)
        if begun.agent_id in self._minds.agents:
            self._append(list(filter(None, [self._memory_formed(*pending, second, reply)])))

    def _form(self, groups: Sequence[PendingGroup], second: float) -> None:
        """Form one memory from each group by rules."""
        self._append(list(filter(None, (self._memory_formed(*group, second) for group in groups))))

    def _append(self, events: Sequence[MemoryFormed]) -> None:
        rows = self._minds.embedder.rows([formed.content for formed in events])
        for event, vector in zip(events, rows, strict=True):
            self._minds.append(event, self._minds.aggregate(event.agent_id, touched(event)), vector)

    def _sources(self, begun: ConsolidationBegun, group: Group) -> list[TierMemory]:
        """Return the memories of a group that are still to be consolidated; none if the agent has left."""
        if begun.agent_id not in self._minds.agents:
            return []
        mind = self._minds.aggregate(begun.agent_id, group.memory_ids)
        return [memory for memory in mind.find(group.memory_ids) if memory.merging]

    def _memory_formed(
        self,
        begun: ConsolidationBegun,
        group: Group,
        max_access_count: int,
        second: float,
        written: Reply[MemoryText] | None = None,
    ) -> MemoryFormed | None:
        """Return the event that forms a memory of a group; None if nothing is left of it. Rules write the text if
        `written` is None.
        """
        sources = self._sources(begun, group)
        if not sources:
            return None
        rules = self._minds.agents[begun.agent_id].agent.rules.consolidation
        reply = written or Reply(extract_memory(sources, rules), NO_MODEL_USAGE)
        vector = vector_key(EMBEDDING_MODEL, EMBEDDING_DIMENSION, reply.value.content)
        return form_memory(
            begun, sources, reply.value, vector=vector, most=max_access_count, rules=rules, usage=reply.usage,
            nth=str(group.memory_ids[0]), second=second,
        )  # fmt: skip
