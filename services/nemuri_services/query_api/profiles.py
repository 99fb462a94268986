"""Profiles of persons."""

from datetime import UTC, datetime

from nemuri_contracts.memory_views import ProfileMemory, ProfileView
from nemuri_contracts.queries import MEMORIES_AT_ONCE, MemoriesQuery, ProfileQuery
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.profile import chosen, is_current, profile_text
from nemuri_infra.runtime.resources import Resources


async def profile_of(agent: Agent, query: ProfileQuery, resources: Resources) -> ProfileView:
    """Return what the agent knows of a person now, from the strongest memories of the person."""
    wanted = MemoriesQuery(agent_id=query.agent_id, person=query.person, limit=MEMORIES_AT_ONCE)
    memories, now = (await resources.views.memory_page(agent, wanted)).memories, datetime.now(UTC)
    kept = chosen(memories, now, query.tokens)
    text = profile_text(kept)
    return ProfileView(
        agent_id=query.agent_id,
        person=query.person,
        text=text,
        tokens=estimate_tokens(text),
        memories=tuple(
            ProfileMemory(
                memory_id=content.memory_id, memory=content.memory, source=content.source, origin=content.origin
            )
            for content in kept
        ),
        left_out=sum(is_current(remembered, now) for remembered in memories) - len(kept),
    )
