"""The health of an agent's memory, and its table of contents (memo)."""

from nemuri_contracts.agents import ORGANISATION
from nemuri_contracts.client_events import Setting
from nemuri_contracts.health_views import AgentHealth
from nemuri_contracts.memory_views import MemoView
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.strength.agent_topics import memo
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.context_principles import left_out, principle_places
from nemuri_domain.strength.health_diagnosis import diagnose
from nemuri_domain.strength.principles import principle_memory_id
from nemuri_infra.projections.health_counts import count_health
from nemuri_infra.retrieval.topic_cache import TopicCache
from nemuri_infra.runtime.resources import Resources

knowledge = TopicCache()


async def health_of(agent: Agent, resources: Resources) -> AgentHealth:
    """Return the findings about an agent's memory under its current policy, and the parameters that apply from its next
    sleep on.
    """
    counted, never = await count_health(resources.database, agent, await resources.clock.now())
    organisation = await resources.views.agent(ORGANISATION, only_rules=True)
    held = [principle_memory_id(agent.agent_id, *principle) for principle in agent.definition.held]
    known = await resources.views.memories_by_id(held) if held else {}
    return AgentHealth(
        agent_id=agent.agent_id,
        findings=diagnose(counted, agent.rules),
        never_used=never,
        principle_places=principle_places(agent.rules),
        principles_left_out=left_out(agent, known, organisation.definition if organisation else None),
        waiting=None if agent.next_policy is None else dict(agent.next_policy),
    )


async def memo_of(agent: Agent, setting: Setting, resources: Resources) -> MemoView:
    """Return the table of contents (memo) of an agent's memory, as the agent would get it now with a task in this
    setting.
    """
    limit = agent.rules.index_memo_tokens
    text = memo(await knowledge.topics(agent, setting, resources.views), limit)
    return MemoView(agent_id=agent.agent_id, memo=text, tokens=estimate_tokens(text), limit=limit)
