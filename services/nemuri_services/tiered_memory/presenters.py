"""Presenters of tiered memory."""

import time

from nemuri_contracts.tiered_views import TierMemoryView, TiersView
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_domain.tiered.consolidation import capacity, interval
from nemuri_domain.tiered.retrieval import current_time
from nemuri_infra.projections.tiered_queries import TieredQueries
from nemuri_infra.runtime.resources import Resources

SHOWN_MEMORIES = 10
"""Maximum number of memories of each layer in a view. The newest ones are taken."""


def memory_view(memory: TierMemory) -> TierMemoryView:
    """Return the view of a memory."""
    return TierMemoryView.model_validate(memory.model_dump(include=set(TierMemoryView.model_fields)))


async def state_view(agent_id: str, resources: Resources) -> TiersView | None:
    """Return the state of an agent's tiered memory: its layers, capacities and newest memories; None if the agent has
    none.
    """
    standing = await TieredQueries(resources.database).overview(agent_id, SHOWN_MEMORIES)
    if standing is None:
        return None
    agent, newest = standing.agent, (*standing.short, *standing.long)
    now = current_time(agent, max((memory.at for memory in newest), default=None), time.time())
    return TiersView(
        agent_id=agent_id,
        hours=agent.hours(now),
        short=agent.short,
        capacity=capacity(agent, now),
        interval=interval(agent, now),
        merging=standing.merging,
        long=agent.long,
        long_capacity=agent.rules.long_term.capacity,
        types=standing.types,
        shared=standing.shared,
        consolidated_at=agent.consolidated_at,
        consolidated_for=agent.consolidated_for,
        newest=tuple(map(memory_view, standing.short)),
        formed=tuple(map(memory_view, standing.long)),
        parameters=dict(agent.policy),
    )
