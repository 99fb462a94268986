"""Retrieval from affective memory: by the vectors of the prompt's parts, or by its words if the embedder does not
answer in time.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from uuid import UUID

from nemuri_contracts.affective import ContextShown, MemoriesRecalled, Occasion
from nemuri_contracts.affective_views import AffectBriefView, AffectRecallView, RecalledView
from nemuri_contracts.event import derive
from nemuri_contracts.queries import AffectBriefQuery, AffectListQuery, AffectRecallQuery, ShowBrief, ShowMemories
from nemuri_domain.affective.aggregate import AffectAgent, AffectMemory
from nemuri_domain.affective.candidate_query import AffectiveRetrieval
from nemuri_domain.affective.context_block import BLOCK_LIMIT, BRIEF_LIMIT, ContextBlock, protection_question
from nemuri_domain.affective.retrieval import (
    RankedMemory,
    RetrievalRequest,
    RetrievedMemory,
    rank,
    related_memories,
    to_revive,
)
from nemuri_domain.affective.sanitize import is_conversation
from nemuri_domain.affective.topic_categories import category_asked
from nemuri_domain.affective.what_holds import what_holds_first, without_outdated
from nemuri_domain.strength.aggregate import Agent
from nemuri_infra.projections.affective_lists import AffectiveLists
from nemuri_infra.projections.affective_queries import AffectiveQueries
from nemuri_infra.projections.memory_indexes import MemoryIndexes
from nemuri_infra.retrieval.self_calibration import calibrated_vectors
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.stores.vectors import Vectors
from nemuri_services.affective_memory.candidates import bounds, compared_with_topic, find_candidates, vectors_in_time
from nemuri_services.affective_memory.presenters import memory_view

MAX_BRIEF = 100
"""Maximum number of memories of a project that are considered at the start of a session."""
MAX_NAMED = 5
"""Number of protected memories, oldest first, from which the user is asked to choose."""
REMARK_LIMIT = 2_000
"""Maximum characters of the block for a remark about the user's life. Much of it is only perhaps to the point."""
ANY = -1.0
"""Similarity that every memory reaches."""
MAX_CANDIDATES = 100
"""Maximum number of candidates, the most similar memories; the policy's `top_k` if that is greater."""


@dataclass(frozen=True, slots=True)
class SelectedMemories:
    """The memories that match a prompt, with the request by which they were ranked."""

    block: ContextBlock
    asking: RetrievalRequest
    words_only: bool
    """True if the prompt had no vector, so that words were compared."""


async def retrieve(
    query: AffectRecallQuery, agent: AffectAgent, defined: Agent, resources: Resources
) -> SelectedMemories | None:
    """Return the memories that match a prompt; None for a blank prompt and for a slash command."""
    if not is_conversation(query.prompt):
        return None
    vectors = await calibrated_vectors(resources, defined)
    return await select_memories(query, agent, vectors, AffectiveQueries(resources.database), resources.indexes)


def recall_view(found: SelectedMemories | None, agent: AffectAgent) -> AffectRecallView:
    """Return the answer to a recall."""
    if found is None:
        return AffectRecallView(recalled=(), block="")
    views = tuple(_view(memory, agent) for memory in found.block.whole)
    return AffectRecallView(recalled=views, block=found.block.text, words_only=found.words_only)


async def heard(query: AffectListQuery, agent: AffectAgent, resources: Resources) -> list[AffectMemory]:
    """Return the memories that a recall of a query's text finds, in its order, as far as the query wants such memories.

    None are returned for a text that only names an earlier time.
    """
    defined = await resources.views.agent(query.agent_id)
    if defined is None or query.containing is None:
        return []
    asked = AffectRecallQuery(agent_id=query.agent_id, prompt=query.containing, project=query.project)
    found = await retrieve(asked, agent, defined, resources)
    if found is None or found.asking.only_time:
        return []
    memories = [memory.memory for memory in found.block.whole if memory.ranked is not None]
    return [memory for memory in memories if memory.archived == query.archived and memory.protected >= query.protected]


async def select_memories(
    query: AffectRecallQuery,
    agent: AffectAgent,
    vectors: Vectors,
    queries: AffectiveQueries,
    indexes: MemoryIndexes,
) -> SelectedMemories:
    """Return the memories that match a prompt, in a block of limited length."""
    rules = agent.rules
    projects = agent.project_names(query.project) if query.project else ()
    mood = await queries.mood(agent.agent_id, query.session) if query.session else None
    felt, category = mood.emotion if mood else None, query.category or category_asked(query.prompt)
    asking = RetrievalRequest(query.prompt, relevance=ANY, revival=ANY, mood=felt, category=category)
    asked = await vectors_in_time(vectors, asking.topic)
    least = bounds(agent, vectors, words_only=asked is None)
    asking = replace(asking, relevance=least.relevance, revival=least.revival, words_only=asked is None)
    wanted = AffectiveRetrieval(
        top=max(MAX_CANDIDATES, rules.retrieval.top_k),
        relevance=ANY if asking.only_time else least.candidate,
        revival=least.archived_candidate,
        mood=felt,
        archive=rules.archive.enable_archive_recall,
        newest=asking.last_time,
        fill=rules.retrieval.fill_up,
        category=asking.category,
        projects=projects,
        without=query.context,
    )
    found = await find_candidates(query.prompt, agent, vectors, asked, wanted, queries, indexes)
    if not asking.only_time:
        found = await compared_with_topic(found, asking, least, queries)
    limit = REMARK_LIMIT if asking.remark else BLOCK_LIMIT
    block = ContextBlock(agent.agent_id, limit, program=query.program, tool=query.tool)
    # A memory that the session has keeps its place, so that less relevant ones do not take it.
    chosen = [memory for memory in rank(found, asking, rules) if memory.memory_id not in query.context]
    await _add_memories(block, chosen, agent, queries, projects, query.context)
    return SelectedMemories(block, asking, words_only=asked is None)


async def brief(query: AffectBriefQuery, agent: AffectAgent, resources: Resources) -> AffectBriefView:
    """Return what to show at the start of a session in a project, one line each.

    If memories wait for protection, the block asks to let the user choose.
    """
    queries = AffectiveQueries(resources.database)
    block = ContextBlock(agent.agent_id, BRIEF_LIMIT, program=query.program, tool=query.tool)
    projects = agent.project_names(query.project) if query.project else ()
    if waiting := await queries.awaiting_protection(agent.agent_id):
        oldest = await queries.protected(agent.agent_id, MAX_NAMED)
        block.note(protection_question(agent, waiting, oldest, query.program))
    block.list(without_outdated(await AffectiveLists(resources.database).shown_unasked(agent, projects, MAX_BRIEF)))
    return AffectBriefView(block=block.text, memories=tuple(memory.memory_id for memory in block.listed))


def is_waited_for(within: float | None, began: float) -> bool:
    """Return True if a client that waits `within` seconds from the monotonic time `began` still waits."""
    return within is None or monotonic() - began < within


def shown_events(
    command: ShowMemories, found: SelectedMemories | None, agent: AffectAgent
) -> list[MemoriesRecalled | ContextShown]:
    """Return the events that record what was shown for a prompt: the recall of the memories that were shown as a whole,
    and the block. There are none if nothing relevant was found.
    """
    if found is None or not found.block.text:
        return []
    block = found.block
    recalled = recall_event(command, found, agent)
    shown = (*(memory.memory.memory_id for memory in block.whole), *(memory.memory_id for memory in block.listed))
    told = shown_event("prompt", command, shown, block.text)
    return [recalled, told] if recalled.recalled or recalled.asked_back else [told]


def shown_event(
    occasion: Occasion, command: ShowMemories | ShowBrief, shown: tuple[UUID, ...], block: str
) -> ContextShown:
    """Return the event that records which memories a block showed."""
    return ContextShown(
        event_id=derive(f"{command.agent_id}/{command.request}", ContextShown.kind_of()),
        agent_id=command.agent_id,
        occasion=occasion,
        session=command.session,
        project=command.project,
        memories=shown,
        characters=len(block),
    )


async def _add_memories(
    block: ContextBlock,
    chosen: Sequence[RankedMemory],
    agent: AffectAgent,
    queries: AffectiveQueries,
    projects: Collection[str],
    known_already: Collection[UUID],
) -> None:
    """Add the memories in `chosen` to the block, then memories related to those, then memories related to these, and so
    on, without the memories and turns `known_already`. What holds now comes before what it replaced.

    The policy's `relation_traversal_depth` limits the number of such steps. At most `top_k` related memories are added.
    """
    known = await queries.memories(ranked_memory.memory_id for ranked_memory in chosen)
    told = [
        RetrievedMemory(known[ranked_memory.memory_id], ranked_memory)
        for ranked_memory in chosen
        if ranked_memory.memory_id in known
    ]
    near = await queries.related(agent.agent_id, list(known)) if known else {}
    reach = block.fill(what_holds_first(told, near, known_already, projects))
    left = agent.rules.retrieval.top_k
    for _ in range(agent.rules.relations.relation_traversal_depth):
        ids = [memory.memory.memory_id for memory in reach]
        if not ids:
            break
        if not near.keys() >= set(ids):
            near = await queries.related(agent.agent_id, ids)
        shown = (*(memory.memory.memory_id for memory in block.whole), *known_already)
        reach = block.fill(related_memories(ids, near, shown, projects)[:left])
        left -= len(reach)


def recall_event(command: ShowMemories, found: SelectedMemories, agent: AffectAgent) -> MemoriesRecalled:
    """Return the event that records a recall. It names the memories that the assistant is shown, except those that only
    fill up the result.
    """
    shown = found.block.whole
    came = [memory.ranked for memory in shown if memory.ranked is not None]
    meant = [memory.memory for memory in shown if memory.ranked is None or memory.ranked.by != "fill"]
    return MemoriesRecalled(
        event_id=derive(f"{command.agent_id}/{command.request}", MemoriesRecalled.kind_of()),
        agent_id=agent.agent_id,
        session=command.session,
        recalled=tuple(memory.memory_id for memory in meant if not memory.archived),
        asked_back=to_revive(came, found.asking),
        mood=meant[0].emotion if meant else None,
    )


def _view(one: RetrievedMemory, agent: AffectAgent) -> RecalledView:
    ranked = one.ranked
    return RecalledView(
        memory=memory_view(one.memory, agent),
        priority=ranked.priority if ranked else 0.0,
        similarity=ranked.candidate.closeness if ranked else 0.0,
        resonance=ranked.resonance if ranked else 0.0,
        by=ranked.by if ranked else "relation",
        relation=one.relation,
        held_until=one.replaced_by and one.replaced_by.said_at,
        replaced_by=one.replaced_by and one.replaced_by.label,
    )
