"""The agents as the orchestrator sees them: what they know, how they did, how busy they are."""

from dataclasses import dataclass, field

from nemuri.domain.memory.mind import Agent
from nemuri.domain.tasks.routing import Applicant
from nemuri.infra.views.queries import Views

State = tuple[int, tuple[int, ...], int]
"""What changes whenever an agent's memories do: sessions slept, active memories by level, archived ones."""


@dataclass(slots=True)
class Applicants:
    """The agents of one namespace; what an agent knows is read again only when its memory has changed."""

    known: dict[tuple[str, str, str], tuple[State, tuple[str, ...]]] = field(default_factory=dict)

    async def all(self, views: Views) -> list[Applicant]:
        """Every agent that could be chosen, by name."""
        outcomes, waiting = await views.outcomes(), await views.waiting()
        return [
            Applicant(
                agent.agent_id,
                agent.definition,
                await self._tags(agent, views),
                *outcomes.get(agent.agent_id, (0, 0)),
                waiting.get(agent.agent_id, 0),
            )
            for agent in await views.agents()
        ]

    async def _tags(self, agent: Agent, views: Views) -> tuple[str, ...]:
        name = (views.database.url, views.database.schema, agent.agent_id)
        state = (agent.slept, agent.active, agent.archived)
        if name not in self.known or self.known[name][0] != state:
            self.known[name] = (state, await views.tags(agent.agent_id))
        return self.known[name][1]
