"""The budgets that limit the model calls for an event: that of its task and that of its agent."""

from nemuri_contracts.event import Event
from nemuri_domain.tasks.spent_usage import Limit, agent_limit, task_limit
from nemuri_infra.projections.spending_queries import spent_by_agent
from nemuri_infra.runtime.resources import Resources


async def limits_of(event: Event, resources: Resources) -> tuple[Limit, ...]:
    """Return the limits of the event's task and of its agent, with what was spent before the event.

    An agent's day begins at midnight UTC before the event.
    """
    found = []
    if event.thread is not None:
        found.append(task_limit(await resources.views.task(event.thread)))
    agent = await resources.views.agent(event.agent_id, only_rules=True) if event.agent_id else None
    if agent is not None and (agent.rules.daily_tokens or agent.rules.daily_money):
        day = event.at.replace(hour=0, minute=0, second=0, microsecond=0)
        spent = await spent_by_agent(resources.database, agent.agent_id, day)
        found.append(agent_limit(agent.agent_id, agent.rules, spent))
    return tuple(each for each in found if each is not None)
