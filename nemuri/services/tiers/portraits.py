"""Tiered minds as people see them."""

import time

from nemuri.contracts.tiers_views import TierMemoryView, TiersView
from nemuri.domain.tiers.consolidation import capacity, interval
from nemuri.domain.tiers.mind import TierMemory, TiersAgent
from nemuri.domain.tiers.retrieval import present
from nemuri.infra.resources import Resources
from nemuri.infra.views.layers import Layers

SHOWN = 10
"""The newest of each layer that are shown."""


def memory_view(memory: TierMemory) -> TierMemoryView:
    """A memory."""
    return TierMemoryView.model_validate(memory.model_dump(include=set(TierMemoryView.model_fields)))


async def portrait(agent: TiersAgent, resources: Resources) -> TiersView:
    """How the mind stands: what is in its layers, what it holds by now, what came last."""
    layers, agent_id = Layers(resources.database), agent.agent_id
    short, long = await layers.newest(agent_id, "short", SHOWN), await layers.newest(agent_id, "long", SHOWN)
    now = present(agent, max((each.at for each in (*short, *long)), default=None), time.time())
    return TiersView(
        agent_id=agent_id,
        hours=agent.hours(now),
        short=agent.short,
        capacity=capacity(agent, now),
        interval=interval(agent, now),
        going=await layers.going(agent_id),
        long=agent.long,
        long_capacity=agent.rules.long_term.capacity,
        types=await layers.counts(agent_id),
        shared=await layers.shared_by(agent_id),
        consolidated_at=agent.consolidated_at,
        consolidated_for=agent.consolidated_for,
        newest=tuple(map(memory_view, short)),
        formed=tuple(map(memory_view, long)),
        parameters=dict(agent.policy),
    )
