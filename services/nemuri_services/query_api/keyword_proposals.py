"""Keywords that the memories of an agent suggest for its perspectives."""

import asyncio

from nemuri_contracts.memory_views import KeywordsView
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.keyword_proposals import proposed_keywords
from nemuri_infra.projections.keyword_queries import sampled_memories
from nemuri_infra.runtime.resources import Resources


async def keywords_of(agent: Agent, resources: Resources) -> KeywordsView:
    """Return proposals from the newest active memories of an agent.

    The words are compared in a thread, because two thousand memories take about a second.
    """
    sample = await sampled_memories(resources.database, agent.agent_id)
    proposed = await asyncio.to_thread(proposed_keywords, agent.definition, sample)
    return KeywordsView(agent_id=agent.agent_id, memories=len(sample), proposed=proposed)
