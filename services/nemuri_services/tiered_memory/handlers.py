"""Event and query handlers of tiered memory: they record experiences, consolidate them and retrieve memories."""

from collections.abc import Sequence

from nemuri_contracts.error_messages import no_tiers
from nemuri_contracts.event import derive
from nemuri_contracts.queries import AccessMemories, Refusal, TiersMemoryQuery, TiersQuery, TiersRecallQuery
from nemuri_contracts.strength import MemoryRefused
from nemuri_contracts.tiered import (
    ConsolidationAsked,
    ConsolidationBegun,
    ExperienceOffered,
    ExperienceRecorded,
    FormationDue,
    MemoriesAccessed,
    MemoryFormed,
)
from nemuri_contracts.tiered_views import TierMemoryView, TiersRecallView, TiersView
from nemuri_domain.tiered.admission import admit
from nemuri_domain.tiered.consolidation import due_reason
from nemuri_domain.tiered.fold import moment_of
from nemuri_domain.tiered.memory_merging import form_memory
from nemuri_infra.projections.tiered_queries import TieredQueries
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, ConditionalAppend, Performed, Service
from nemuri_services.tiered_memory.consolidation_input import consolidation_plan, merged_text
from nemuri_services.tiered_memory.consolidation_schedule import watch
from nemuri_services.tiered_memory.presenters import memory_view, state_view
from nemuri_services.tiered_memory.retrieval import access_events, retrieve

service = Service(
    "tiered-memory",
    background=watch,
    also_emits=(ConsolidationAsked,),
    capabilities=frozenset({Capability.MAKES_VECTORS}),
)


@service.handles(ExperienceOffered)
async def record(event: ExperienceOffered, resources: Resources) -> ExperienceRecorded | MemoryRefused:
    """Record an offered experience in short-term memory.

    Refuse it if the agent has no tiered memory, or if the experience is not important enough.
    """
    agent = await TieredQueries(resources.database).agent(event.agent_id)
    defined = await resources.views.agent(event.agent_id)
    if agent is None or defined is None:
        return MemoryRefused.following(event, reason=no_tiers(event.agent_id))
    vectors = resources.vectors.with_embedder_of(defined.embedding)
    found = admit(event, agent.rules, vectors.key(event.experience.content))
    if found is None:
        least = agent.rules.short_term.min_importance
        return MemoryRefused.following(event, reason=f"its importance is below {least:g}")
    await vectors.store_missing([event.experience.content])
    return found


@service.handles(ExperienceRecorded, ConsolidationAsked)
async def begin_consolidation(
    event: ExperienceRecorded | ConsolidationAsked, resources: Resources
) -> ConditionalAppend[ConsolidationBegun] | None:
    """Begin a consolidation if one is requested, or if a new experience makes one due.

    The event is appended only if no other consolidation of the agent began in between. Returns None for an agent of a
    society whose host consolidates its memory.
    """
    now, queries = moment_of(event), TieredQueries(resources.database)
    agent = await queries.agent(event.agent_id)
    if await _is_hosted(event.agent_id, resources):
        return None
    if agent is None or (isinstance(event, ExperienceRecorded) and due_reason(agent, now) is None):
        return None
    newest = await resources.last_of(event.agent_id, ConsolidationBegun)
    asked = event.because if isinstance(event, ConsolidationAsked) else None
    found = await consolidation_plan(event.agent_id, asked, now, resources)
    if not found:
        return None
    second = event.second if isinstance(event, ConsolidationAsked) else event.experience.second
    begun = ConsolidationBegun.following(
        event, because=found.because, groups=found.groups, deleted=found.deleted, second=second
    )
    return ConditionalAppend(begun, newest)


@service.handles(ConsolidationBegun)
async def request_formations(event: ConsolidationBegun, resources: Resources) -> Sequence[FormationDue]:
    """Request one long-term memory for each group of memories, with one event per group, so that each can be erased
    alone.
    """
    if await _is_hosted(event.agent_id, resources):
        return ()
    return [
        FormationDue.following(event, nth=group.memory_ids[0], group=group, second=event.second)
        for group in event.groups
    ]


@service.handles(FormationDue)
async def form_group(event: FormationDue, resources: Resources) -> MemoryFormed | None:
    """Form one long-term memory from a group of memories.

    Returns None if it is formed already, so that no model is called twice, or if none of its sources is left.
    """
    queries = TieredQueries(resources.database)
    agent, defined = await queries.agent(event.agent_id), await resources.views.agent(event.agent_id)
    itself = derive(event.event_id, MemoryFormed.kind_of())
    known = await queries.memories((*event.group.memory_ids, itself))
    there = (known[memory_id] for memory_id in event.group.memory_ids if memory_id in known)
    sources = [
        tier_memory for tier_memory in there if tier_memory.layer == event.group.layer and not tier_memory.shared
    ]
    if agent is None or defined is None or itself in known or not sources:
        return None
    reply = await merged_text(agent, sources, resources)
    vectors = resources.vectors.with_embedder_of(defined.embedding)
    await vectors.store_missing([reply.value.content])
    return form_memory(
        event,
        sources,
        reply.value,
        vector=vectors.key(reply.value.content),
        most=await queries.most_accessed(event.agent_id),
        rules=agent.rules.consolidation,
        usage=reply.usage,
        second=event.second,
    )


@service.answers(AccessMemories)
async def access(
    command: AccessMemories, resources: Resources
) -> Performed[TiersRecallView, MemoriesAccessed] | Refusal:
    """Return the memories that match a query, and record the access to the agent's own."""
    found = await recall(command, resources)
    return found if isinstance(found, Refusal) else Performed(found, access_events(command, found))


@service.answers(TiersRecallQuery)
async def recall(query: TiersRecallQuery, resources: Resources) -> TiersRecallView | Refusal:
    """Return the memories that match a query."""
    agent = await TieredQueries(resources.database).agent(query.agent_id)
    defined = await resources.views.agent(query.agent_id)
    if agent is None or defined is None:
        return Refusal(refused=no_tiers(query.agent_id))
    return await retrieve(query, agent, defined, resources)


@service.answers(TiersQuery)
async def show(query: TiersQuery, resources: Resources) -> TiersView | Refusal:
    """Return the state of an agent's tiered memory."""
    return await state_view(query.agent_id, resources) or Refusal(refused=no_tiers(query.agent_id))


@service.answers(TiersMemoryQuery)
async def show_one(query: TiersMemoryQuery, resources: Resources) -> TierMemoryView | Refusal:
    """Return one memory, found by its id prefix. Refuse if none or several match."""
    queries = TieredQueries(resources.database)
    if await queries.agent(query.agent_id) is None:
        return Refusal(refused=no_tiers(query.agent_id))
    found = await queries.find_by_prefix(query.agent_id, query.beginning)
    if not found:
        return Refusal(refused=f"{query.agent_id} has no memory {query.beginning!r}; give the beginning of its id")
    if len(found) > 1:
        return Refusal(refused=f"memory {query.beginning!r} matches several; give more of its id")
    return memory_view(found[0])


async def _is_hosted(agent_id: str, resources: Resources) -> bool:
    """Return True if the agent belongs to a society whose host consolidates its memory."""
    defined = await resources.views.agent(agent_id)
    return defined is not None and defined.definition.kept_by == "host"
