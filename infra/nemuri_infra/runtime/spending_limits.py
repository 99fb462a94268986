"""The budgets that limit the model calls for an event: that of its task and that of its agent."""

from datetime import UTC

from nemuri_contracts.event import Event
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.tasks.spent_usage import Limit, Spent, agent_limit, task_limit
from nemuri_infra.projections.affective_queries import AffectiveQueries
from nemuri_infra.runtime.resources import Resources


async def limits_of(event: Event, resources: Resources) -> tuple[Limit, ...]:
    """Return the limits of the event's task and of its agent, with what was spent before the event.

    An agent's day begins at midnight UTC before the event.
    """
    found = []
    if event.thread is not None:
        found.append(task_limit(await resources.tasks.state(event)))
    agent = await resources.views.agent(event.agent_id, only_rules=True) if event.agent_id else None
    if agent is not None:
        limit = _affective_limit if agent.definition.memory == "affective" else _strength_limit
        found.append(await limit(event, agent, resources))
    return tuple(bound for bound in found if bound is not None)


async def _strength_limit(event: Event, agent: Agent, resources: Resources) -> Limit | None:
    if not (agent.rules.daily_tokens or agent.rules.daily_money):
        return None
    day = event.at.replace(hour=0, minute=0, second=0, microsecond=0)
    return agent_limit(agent.agent_id, agent.rules, await resources.views.spent_by_agent(agent.agent_id, day))


async def _affective_limit(event: Event, agent: Agent, resources: Resources) -> Limit | None:
    """Return the limit of an agent with affective memory, which keeps its spending itself."""
    mind = await AffectiveQueries(resources.database).agent(agent.agent_id)
    if mind is None:
        return None
    spent = mind.spent.since(event.at.astimezone(UTC).date())
    return agent_limit(agent.agent_id, mind.rules.spending, Spent(spent.tokens, spent.money, spent.unpriced))
