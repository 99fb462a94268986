"""The agents as candidates of the routing: their expertise, history and load."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field

from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.client_events import Setting
from nemuri_domain.tasks.routing import Applicant
from nemuri_infra.projections.queries import Views
from nemuri_infra.retrieval.topic_cache import TopicCache

SHARE = 0.1
"""Share of the time that counting may take, at most. A slow count is valid for longer, up to `LONGEST`."""
LONGEST = 1.0
"""Seconds for which a count is valid, at most."""


@dataclass(slots=True)
class _Counted:
    """The history and load of the agents, counted a moment ago."""

    outcomes: dict[str, tuple[int, int]] = field(default_factory=dict)
    waiting: dict[str, int] = field(default_factory=dict)
    until: float = float("-inf")
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def refresh(self, views: Views) -> None:
        """Count again unless the last count is still valid. Counting takes longer when more tasks wait."""
        async with self.lock:
            now = asyncio.get_running_loop().time
            if (began := now()) >= self.until:
                self.outcomes, self.waiting = await views.outcomes(), await views.waiting()
                self.until = now() + min(LONGEST, (now() - began) / SHARE)


@dataclass(slots=True)
class Applicants:
    """The agents of one namespace."""

    knowledge: TopicCache = field(default_factory=TopicCache)
    _counted: defaultdict[tuple[str, str], _Counted] = field(default_factory=lambda: defaultdict(_Counted))
    """Counts by database and schema."""

    async def all(self, views: Views, setting: Setting) -> list[Applicant]:
        """Return every agent that can be chosen, by name, with its expertise in the setting.

        The orchestrator itself and agents that only remember for an assistant are left out.
        """
        counted = self._counted[views.database.url, views.database.schema]
        await counted.refresh(views)
        return [
            Applicant(
                agent.agent_id,
                agent.definition,
                await self.knowledge.topics(agent, setting, views),
                *counted.outcomes.get(agent.agent_id, (0, 0)),
                counted.waiting.get(agent.agent_id, 0),
            )
            for agent in await views.agents()
            if agent.agent_id != ORCHESTRATOR and agent.definition.memory == "strength"
        ]
