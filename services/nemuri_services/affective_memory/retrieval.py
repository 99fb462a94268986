"""Retrieval from affective memory: by the vector of the prompt, or by its words if the embedder does not answer in
time.
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from uuid import UUID, uuid4

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.affective import ContextShown, MemoriesRecalled, Occasion
from nemuri_contracts.affective_views import AffectBriefView, AffectRecallView, RecalledView
from nemuri_contracts.queries import AffectBriefQuery, AffectRecallQuery
from nemuri_domain.affective.aggregate import AffectAgent, AffectMemory
from nemuri_domain.affective.context_block import BRIEF_LIMIT, ContextBlock, protection_question
from nemuri_domain.affective.policy import AffectPolicy
from nemuri_domain.affective.retrieval import (
    AffectCandidate,
    RankedMemory,
    RetrievalRequest,
    RetrievedMemory,
    looked_at_first,
    rank,
    related_memories,
    to_revive,
)
from nemuri_domain.affective.sanitize import is_conversation
from nemuri_domain.affective.spoken_text import own_lines
from nemuri_domain.affective.topic_categories import category_asked
from nemuri_domain.language.tokenization import terms
from nemuri_domain.language.topic_check import prompt_terms, shares_topic
from nemuri_domain.strength.aggregate import Agent
from nemuri_infra.models.failures import ModelUnavailable, ModelUnusable
from nemuri_infra.projections.affective_lists import AffectiveLists
from nemuri_infra.projections.affective_queries import AffectiveQueries, AffectiveRetrieval
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.stores.vectors import Vectors
from nemuri_services.affective_memory.presenters import memory_view

VECTOR_TIMEOUT = 0.5
"""Maximum seconds to wait for the vector of a prompt. After that the words of the prompt are compared instead."""
MAX_PROMPT_WORDS = 24
"""Maximum number of distinct words of a prompt that are compared. The longest ones are taken."""
MIN_SHARED_WORDS = 0.3
"""Minimum share of a prompt's words, 0 to 1, that a relevant memory contains. Used if the prompt has no vector."""
MAX_BRIEF = 100
"""Maximum number of memories of a project that are considered at the start of a session."""
MAX_NAMED = 5
"""Number of protected memories, oldest first, from which the user is asked to choose."""
CHECKED_TOGETHER = 100
"""Number of candidates whose words are read in one query."""
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
) -> AffectRecallView:
    """Return the memories that match a prompt, and record the recall as a `memories_recalled` event.

    No event is recorded if the query is quiet, if it took longer than the client waits (`query.within` seconds), or if
    nothing relevant was found. The result is empty for a blank prompt and for a slash command.
    """
    if not is_conversation(query.prompt):
        return AffectRecallView(recalled=(), block="")
    vectors, began = resources.vectors.with_embedder_of(defined.embedding), monotonic()
    found = await select_memories(query, agent, vectors, AffectiveQueries(resources.database))
    if found.block.text and not query.quietly and is_waited_for(query.within, began):
        await _record(query, found, agent, resources)
    views = tuple(_view(each, agent) for each in found.block.whole)
    return AffectRecallView(recalled=views, block=found.block.text, words_only=found.words_only)


async def select_memories(
    query: AffectRecallQuery, agent: AffectAgent, vectors: Vectors, queries: AffectiveQueries
) -> SelectedMemories:
    """Return the memories that match a prompt, in a block of limited length. Nothing is recorded."""
    rules = agent.rules
    projects = agent.project_names(query.project) if query.project else ()
    mood = await queries.mood(agent.agent_id, query.session) if query.session else None
    felt, vector = mood.emotion if mood else None, await _vector_in_time(vectors, query.prompt)
    relevance, revival = _bounds(agent, vectors, words_only=vector is None)
    asking = RetrievalRequest(query.prompt, relevance, revival, felt, query.category or category_asked(query.prompt))
    wanted = AffectiveRetrieval(
        top=max(MAX_CANDIDATES, rules.retrieval.top_k),
        relevance=relevance,
        revival=revival,
        mood=felt,
        archive=rules.archive.enable_archive_recall,
        newest=asking.last_time,
        fill=rules.retrieval.fill_up,
        category=asking.category,
        projects=projects,
    )
    found = await _candidates(query.prompt, agent, vectors, vector, wanted, queries)
    if vector is None or vectors.embedder.lexical:
        found = await _enough_with_words(query.prompt, found, asking, rules, queries)
    block = ContextBlock(agent.agent_id)
    await _add_memories(block, rank(found, asking, rules), agent, queries, projects)
    return SelectedMemories(block, asking, words_only=vector is None)


async def brief(query: AffectBriefQuery, agent: AffectAgent, resources: Resources) -> AffectBriefView:
    """Return the most important memories of a project, one line each, and record that they were shown.

    If memories wait for protection, the block asks to let the user choose. Nothing is recorded if the query is quiet,
    if it took longer than the client waits, or if there are no memories.
    """
    queries, began, block = AffectiveQueries(resources.database), monotonic(), ContextBlock(agent.agent_id, BRIEF_LIMIT)
    projects = agent.project_names(query.project) if query.project else ()
    if waiting := await queries.awaiting_protection(agent.agent_id):
        oldest = await queries.protected(agent.agent_id, MAX_NAMED)
        block.note(protection_question(agent, waiting, oldest))
    block.list(await AffectiveLists(resources.database).important(agent, projects, MAX_BRIEF))
    shown = tuple(each.memory_id for each in block.listed)
    if shown and not query.quietly and is_waited_for(query.within, began):
        await resources.log.append(_shown_event("session_start", query, shown, block))
    return AffectBriefView(block=block.text, memories=shown)


def is_waited_for(within: float | None, began: float) -> bool:
    """Return True if a client that waits `within` seconds from the monotonic time `began` still waits."""
    return within is None or monotonic() - began < within


async def _record(query: AffectRecallQuery, found: SelectedMemories, agent: AffectAgent, resources: Resources) -> None:
    """Record what was shown, and the recall of the memories that were shown as a whole."""
    block, recalled = found.block, recall_event(query, found, agent)
    if recalled.recalled or recalled.asked_back:
        await resources.log.append(recalled)
    whole = (each.memory.memory_id for each in block.whole)
    shown = (*whole, *(each.memory_id for each in block.listed))
    await resources.log.append(_shown_event("prompt", query, shown, block))


def _shown_event(
    occasion: Occasion, query: AffectRecallQuery | AffectBriefQuery, shown: tuple[UUID, ...], block: ContextBlock
) -> ContextShown:
    return ContextShown(
        event_id=uuid4(),
        agent_id=query.agent_id,
        occasion=occasion,
        session=query.session,
        project=query.project,
        memories=shown,
        characters=len(block.text),
    )


def _bounds(agent: AffectAgent, vectors: Vectors, *, words_only: bool) -> tuple[float, float]:
    """Return two minimum similarities from which a memory is relevant: for active memories, and for archived ones."""
    rules = agent.rules
    if words_only:
        return MIN_SHARED_WORDS, MIN_SHARED_WORDS
    given, revival = rules.retrieval.relevance_similarity, rules.archive.revival_similarity
    relevance = vectors.embedder.recall_threshold if given is None else given
    return relevance, relevance if revival is None else revival


async def _enough_with_words(
    prompt: str,
    found: Sequence[AffectCandidate],
    asking: RetrievalRequest,
    rules: AffectPolicy,
    queries: AffectiveQueries,
) -> list[AffectCandidate]:
    """Return the candidates with `shares_words` set, as many of them, best first, as a ranking needs."""
    some, rest = looked_at_first(found, asking, rules)
    checked = await _with_words(prompt, some, queries)
    for place in range(0, len(rest), CHECKED_TOGETHER):
        more = await _with_words(prompt, rest[place : place + CHECKED_TOGETHER], queries)
        checked += more
        if sum(each.shares_words and not each.archived for each in checked) >= rules.retrieval.top_k:
            break
    return checked


async def _with_words(
    prompt: str, found: Sequence[AffectCandidate], queries: AffectiveQueries
) -> list[AffectCandidate]:
    """Return the candidates with `shares_words` set: True if a candidate shares enough words with the prompt."""
    asked = prompt_terms(own_lines(prompt))
    words = await queries.words(each.memory_id for each in found) if asked else {}
    return [replace(each, shares_words=shares_topic(asked, words.get(each.memory_id, ""))) for each in found]


async def _add_memories(
    block: ContextBlock,
    chosen: Sequence[RankedMemory],
    agent: AffectAgent,
    queries: AffectiveQueries,
    projects: Collection[str],
) -> None:
    """Add the memories in `chosen` to the block, then memories related to those, then memories related to these, and so
    on.

    The policy's `relation_traversal_depth` limits the number of such steps. At most `top_k` related memories are added.
    """
    known = await queries.memories(each.memory_id for each in chosen)
    reach = block.fill(RetrievedMemory(known[each.memory_id], each) for each in chosen if each.memory_id in known)
    left = agent.rules.retrieval.top_k
    for _ in range(agent.rules.relations.relation_traversal_depth):
        ids = [each.memory.memory_id for each in reach]
        if not ids:
            break
        near = await queries.related(agent.agent_id, ids)
        told = (each.memory.memory_id for each in block.whole)
        reach = block.fill(related_memories(ids, near, told, projects)[:left])
        left -= len(reach)


async def most_similar_memory(
    words: str, agent: AffectAgent, vectors: Vectors, queries: AffectiveQueries
) -> Sequence[AffectMemory]:
    """Return the active memory that is most similar to `words` and has the same subject; an empty sequence if there is
    none.
    """
    bound, _ = _bounds(agent, vectors, words_only=False)
    wanted = AffectiveRetrieval(top=5, relevance=bound, revival=bound, mood=None, archive=False)
    found = await queries.candidates_by_vector(agent, vectors.generation, (await vectors.of([words]))[0], wanted)
    if vectors.embedder.lexical:
        found = [each for each in await _with_words(words, found, queries) if each.shares_words]
    nearest = max(found, key=lambda each: each.similarity, default=None)
    return () if nearest is None else tuple((await queries.memories([nearest.memory_id])).values())


async def _candidates(
    prompt: str,
    agent: AffectAgent,
    vectors: Vectors,
    vector: NDArray[np.float32] | None,
    wanted: AffectiveRetrieval,
    queries: AffectiveQueries,
) -> list[AffectCandidate]:
    asked = sorted(dict.fromkeys(terms(prompt)), key=len, reverse=True)[:MAX_PROMPT_WORDS]
    found: dict[UUID, AffectCandidate] = {}
    for category in dict.fromkeys((wanted.category, None)):
        each = replace(wanted, category=category)
        some = (
            await queries.candidates_by_words(agent, asked, each)
            if vector is None
            else await queries.candidates_by_vector(agent, vectors.generation, vector, each)
        )
        found |= {one.memory_id: one for one in some}
    return list(found.values())


async def _vector_in_time(vectors: Vectors, prompt: str) -> NDArray[np.float32] | None:
    """Return the prompt's vector; None if the embedder needs more than `VECTOR_TIMEOUT` seconds, is unavailable, or
    gives an unusable answer.
    """
    try:
        async with asyncio.timeout(VECTOR_TIMEOUT):
            rows = await vectors.embedder.embed([prompt])
    except (TimeoutError, ModelUnavailable, ModelUnusable):
        return None
    vector: NDArray[np.float32] = rows[0]
    return vector


def recall_event(query: AffectRecallQuery, found: SelectedMemories, agent: AffectAgent) -> MemoriesRecalled:
    """Return the event that records a recall. It names the memories that the assistant is shown, except those that only
    fill up the result.
    """
    shown = found.block.whole
    came = [each.ranked for each in shown if each.ranked is not None]
    meant = [each.memory for each in shown if each.ranked is None or each.ranked.by != "fill"]
    return MemoriesRecalled(
        event_id=uuid4(),
        agent_id=agent.agent_id,
        session=query.session,
        recalled=tuple(each.memory_id for each in meant if not each.archived),
        asked_back=to_revive(came, found.asking),
        mood=meant[0].emotion if meant else None,
    )


def _view(one: RetrievedMemory, agent: AffectAgent) -> RecalledView:
    ranked = one.ranked
    return RecalledView(
        memory=memory_view(one.memory, agent),
        priority=ranked.priority if ranked else 0.0,
        similarity=ranked.candidate.similarity if ranked else 0.0,
        resonance=ranked.resonance if ranked else 0.0,
        by=ranked.by if ranked else "relation",
        relation=one.relation,
    )
