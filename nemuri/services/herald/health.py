"""How an agent's memory does, and what it is told of it."""

from datetime import UTC, datetime

from nemuri.contracts.clients import Setting
from nemuri.contracts.health import AgentHealth
from nemuri.contracts.portraits import MemoView
from nemuri.domain.language.tokens import estimate_tokens
from nemuri.domain.memory.health import examined
from nemuri.domain.memory.mind import Agent
from nemuri.domain.memory.topics import memo
from nemuri.infra.knowledge import Knowledge
from nemuri.infra.resources import Resources
from nemuri.infra.views.vitals import vitals

knowledge = Knowledge()


async def health_of(agent: Agent, resources: Resources) -> AgentHealth:
    """The agent's measures by the policy in force; what waits for the next sleep is told beside them."""
    counted, never = await vitals(resources.database, agent, datetime.now(UTC))
    relevance = resources.vectors.serving(agent.embedding).embedder.relevance_threshold
    return AgentHealth(
        agent_id=agent.agent_id,
        findings=examined(counted, agent.rules, relevance=relevance),
        never_used=never,
        waiting=None if agent.next_policy is None else dict(agent.next_policy),
    )


async def memo_of(agent: Agent, setting: Setting, resources: Resources) -> MemoView:
    """The table of contents as the specialist would give it to the agent with a task in the setting now."""
    limit = agent.rules.index_memo_tokens
    text = memo(await knowledge.topics(agent, setting, resources.views), limit)
    return MemoView(agent_id=agent.agent_id, memo=text, tokens=estimate_tokens(text), limit=limit)
