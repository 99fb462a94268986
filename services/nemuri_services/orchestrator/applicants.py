"""The agents as the orchestrator sees them: what they know, how they did, how busy they are."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field

from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.client_events import Setting
from nemuri_domain.tasks.routing import Applicant
from nemuri_infra.projections.queries import Views
from nemuri_infra.retrieval.topic_cache import Knowledge

SHARE = 0.1
"""Counting takes at most this share of the time; one that took long is good for the longer, but never for long."""
LONGEST = 1.0
"""Seconds for which a count is good, at most."""


@dataclass(slots=True)
class _Counted:
    """How agents did and how busy they are, as of a moment ago."""

    outcomes: dict[str, tuple[int, int]] = field(default_factory=dict)
    waiting: dict[str, int] = field(default_factory=dict)
    until: float = float("-inf")
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def refresh(self, views: Views) -> None:
        """Count anew, unless that was done a moment ago: it takes the longer, the more tasks wait."""
        async with self.lock:
            now = asyncio.get_running_loop().time
            if (began := now()) >= self.until:
                self.outcomes, self.waiting = await views.outcomes(), await views.waiting()
                self.until = now() + min(LONGEST, (now() - began) / SHARE)


@dataclass(slots=True)
class Applicants:
    """The agents of one namespace."""

    knowledge: Knowledge = field(default_factory=Knowledge)
    _counted: defaultdict[tuple[str, str], _Counted] = field(default_factory=lambda: defaultdict(_Counted))
    """By the database and its schema."""

    async def all(self, views: Views, setting: Setting) -> list[Applicant]:
        """Every agent that could be chosen, by name, with what it knows in the setting.

        Neither the orchestrator itself, nor who only remembers for an assistant elsewhere.
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
