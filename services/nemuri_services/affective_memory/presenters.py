"""Presenters of affective memory."""

from datetime import UTC, datetime

from nemuri_contracts.affective import TurnRemembered
from nemuri_contracts.affective_views import AffectMemoryView, AffectView
from nemuri_domain.affective.aggregate import AffectAgent, AffectMemory
from nemuri_infra.projections.affective_lists import AffectiveLists
from nemuri_infra.projections.affective_queries import AffectiveQueries
from nemuri_infra.runtime.resources import Resources

SHOWN_MEMORIES = 20
"""Maximum number of the strongest memories in a view, and of the protected ones."""
MOOD_DAYS = 30
"""Maximum number of days in the mood history of a view. Days without memories do not count."""


def memory_view(memory: AffectMemory, agent: AffectAgent) -> AffectMemoryView:
    """Return the view of a memory of an agent, with its retention and age after the agent's last nightly job."""
    night = agent.nights
    return AffectMemoryView(
        memory_id=memory.memory_id,
        label=memory.label,
        project=memory.project and agent.projects.get(memory.project, memory.project),
        concern=memory.concern,
        personal=memory.personal,
        only_asked=memory.only_asked,
        idle_shows=memory.idle_shows,
        said_at=memory.said_at,
        level=memory.level,
        retention=memory.retention(night),
        coefficient=memory.coefficient,
        days=memory.days(night if memory.archived_night is None else memory.archived_night),
        intensity=memory.intensity,
        emotion=memory.emotion,
        category=memory.category,
        keywords=memory.keywords,
        trigger=memory.trigger,
        content=memory.content,
        recall_count=memory.recall_count,
        protection=memory.protection,
        archived=memory.archived,
    )


async def state_view(agent: AffectAgent, resources: Resources) -> AffectView:
    """Return the state of an agent's affective memory.

    It has the counts, the sizes, the moods, the strongest memories and the memories that wait for protection. The
    oldest protected memories are added if others wait or if the limit is reached.
    """
    queries, lists, night = AffectiveQueries(resources.database), AffectiveLists(resources.database), agent.nights
    waiting = await queries.awaiting_protection(agent.agent_id)
    limit = agent.rules.protection.max_protected_memories
    protected = await queries.protected(agent.agent_id, SHOWN_MEMORIES) if waiting or agent.protected >= limit else []
    lived = await queries.turn_counts(agent.agent_id)
    strongest = await lists.strongest(agent, SHOWN_MEMORIES)
    defined = await resources.views.agent(agent.agent_id)
    spent = agent.spent.since(datetime.now(UTC).date())
    protected_characters, characters = await lists.characters(agent.agent_id)
    return AffectView(
        agent_id=agent.agent_id,
        nights=night,
        last_night=agent.last_night,
        levels=agent.levels,
        characters=characters,
        protected=agent.protected,
        protected_characters=protected_characters,
        limit=limit,
        waiting=tuple(memory_view(affect_memory, agent) for affect_memory in waiting),
        oldest_protected=tuple(memory_view(memory, agent) for memory in protected),
        moods=tuple(await lists.moods(agent.agent_id, MOOD_DAYS)),
        memories=tuple(memory_view(memory, agent) for memory in strongest),
        projects=tuple(await lists.projects(agent)),
        merged=dict(agent.projects),
        remembered=lived.remembered,
        compressed=(lived.summaries, lived.keyword_lists),
        recalls=lived.recalls,
        first_at=lived.first_at,
        spent_tokens=spent.tokens,
        spent_money=spent.money,
        providers=resources.settings.model_settings().chosen,
        read_by=await _newest_reader(agent, resources),
        embedder=defined.embedding.model if defined else None,
        parameters=dict(agent.policy),
        coming=None if agent.next_policy is None else dict(agent.next_policy),
    )


async def _newest_reader(agent: AffectAgent, resources: Resources) -> str | None:
    """Return the model that read the newest turn; None before the first turn, and if that turn was erased."""
    sequence = await AffectiveQueries(resources.database).newest_remembered(agent.agent_id)
    event = None if sequence is None else await resources.log.at(sequence)
    return event.read_by if isinstance(event, TurnRemembered) else None
