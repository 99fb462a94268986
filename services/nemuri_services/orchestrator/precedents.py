"""Retrieval of precedents: past tasks that the orchestrator keeps in its routing memory."""

from dataclasses import dataclass, field

from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_domain.tasks import precedents
from nemuri_domain.tasks.aggregate import Task
from nemuri_domain.tasks.precedents import Precedent
from nemuri_infra.projections.precedent_queries import past_tasks
from nemuri_infra.retrieval.agent_indexes import AgentIndexes
from nemuri_infra.runtime.resources import Resources


@dataclass(slots=True)
class Precedents:
    """Retrieval from the orchestrator's routing memory. The index is cached in this process."""

    minds: AgentIndexes = field(default_factory=AgentIndexes)

    async def like(self, task: Task, resources: Resources) -> tuple[Precedent, ...]:
        """Return past tasks that are similar to this one and valid in its setting, greatest weight first.

        Returns none if the client named an agent, or if the orchestrator has no memory yet.
        """
        agent = await resources.views.agent(ORCHESTRATOR, only_rules=True)
        if agent is None or task.wanted_agent is not None:
            return ()
        # Query expansion is off: it adds keywords of perspectives, which are not about the subjects of tasks and would
        # make all tasks similar.
        plain = agent.replace(policy={**agent.policy, "enable_query_expansion": False})
        found = await self.minds.recall(
            resources, plain, precedents.subject(task), perspective=precedents.ROUTING, setting=task.setting
        )
        before = await past_tasks(resources.database, [each.memory_id for each in found.candidates])
        return precedents.heaviest_precedents(
            Precedent(
                each.memory_id,
                before[each.memory_id].task_id,
                precedents.weight(each.similarity, agent.strength(found.known[each.memory_id][1])),
                before[each.memory_id].outcomes,
            )
            for each in found.candidates
            if each.memory_id in before
        )
