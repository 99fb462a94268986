"""The agents as candidates for a task: their expertise, history and load."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field

from nemuri_contracts.agents import RESERVED_AGENTS
from nemuri_contracts.client_events import Setting
from nemuri_domain.tasks.agent_scores import Applicant, Workload
from nemuri_infra.projections.views import Views
from nemuri_infra.retrieval.topic_cache import TopicCache

SHARE = 0.1
"""Maximum share of the time, 0 to 1, that is spent on counting outcomes and waiting assignments.

So the longer a count takes, the longer its result is reused, up to `MAX_COUNT_AGE` seconds.
"""
MAX_COUNT_AGE = 1.0
"""Maximum seconds for which a count is reused."""


@dataclass(slots=True)
class _Counted:
    """Cached numbers of each agent."""

    workloads: dict[str, Workload] = field(default_factory=dict)
    until: float = float("-inf")
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def refresh(self, views: Views) -> None:
        """Count again unless the last count may still be reused. The time for counting grows with the number of waiting
        tasks.
        """
        async with self.lock:
            now = asyncio.get_running_loop().time
            if (began := now()) >= self.until:
                self.workloads = await views.workloads()
                self.until = now() + min(MAX_COUNT_AGE, (now() - began) / SHARE)


@dataclass(slots=True)
class Applicants:
    """The agents as candidates for a task. Their topics and numbers are cached."""

    knowledge: TopicCache = field(default_factory=TopicCache)
    _counted: defaultdict[str, _Counted] = field(default_factory=lambda: defaultdict(_Counted))
    """Cached numbers by projections."""

    async def all(self, views: Views, setting: Setting) -> list[Applicant]:
        """Return every agent that may get a task, by name, with what it knows in the setting, its outcomes and its
        load.

        The orchestrator and agents without strength memory are left out.
        """
        counted = self._counted[views.space]
        await counted.refresh(views)
        found = list[Applicant]()
        for agent in await views.agents.all():
            if agent.agent_id in RESERVED_AGENTS or agent.definition.memory != "strength":
                continue
            known = await self.knowledge.of(agent, setting, views)
            numbers = counted.workloads.get(agent.agent_id, Workload(0, 0, 0))
            found.append(Applicant(agent.agent_id, agent.definition, known.topics, *numbers, known.perspectives))
        return found
