"""The agents as the orchestrator sees them: what they know, how they did, how busy they are."""

from dataclasses import dataclass, field

from nemuri.contracts.agents import ORCHESTRATOR
from nemuri.contracts.clients import Setting
from nemuri.domain.tasks.routing import Applicant
from nemuri.infra.knowledge import Knowledge
from nemuri.infra.views.queries import Views


@dataclass(slots=True)
class Applicants:
    """The agents of one namespace."""

    knowledge: Knowledge = field(default_factory=Knowledge)

    async def all(self, views: Views, setting: Setting) -> list[Applicant]:
        """Every agent that could be chosen, by name, with what it knows in the setting; not the orchestrator itself."""
        outcomes, waiting = await views.outcomes(), await views.waiting()
        return [
            Applicant(
                agent.agent_id,
                agent.definition,
                await self.knowledge.topics(agent, setting, views),
                *outcomes.get(agent.agent_id, (0, 0)),
                waiting.get(agent.agent_id, 0),
            )
            for agent in await views.agents()
            if agent.agent_id != ORCHESTRATOR
        ]
