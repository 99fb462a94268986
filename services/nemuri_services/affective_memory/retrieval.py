"""Retrieval from affective memory: by the vector of the prompt, or by its words if the embedder does not answer in
time.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from uuid import UUID, uuid4

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.affective import MemoriesRecalled
from nemuri_contracts.affective_views import AffectRecallView, RecalledView
from nemuri_contracts.queries import AffectRecallQuery
from nemuri_domain.affective.aggregate import AffectAgent, AffectMemory
from nemuri_domain.affective.context_block import ContextBlock
from nemuri_domain.affective.retrieval import (
    AffectCandidate,
    RankedMemory,
    RetrievalRequest,
    RetrievedMemory,
    rank,
    related_memories,
    to_revive,
)
from nemuri_domain.affective.sanitize import is_conversation
from nemuri_domain.affective.spoken_text import own_lines
from nemuri_domain.language.tokenization import terms
from nemuri_domain.language.topic_check import prompt_terms, shares_topic
from nemuri_domain.strength.aggregate import Agent
from nemuri_infra.models.failures import ModelUnavailable, ModelUnusable
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
MAX_CANDIDATES = 100
"""Maximum number of candidates, the most similar memories; the policy's `top_k` if that is greater."""


async def retrieve(
    query: AffectRecallQuery, agent: AffectAgent, defined: Agent, resources: Resources
) -> AffectRecallView:
    """Return the memories that match a prompt, and record the recall as a `memories_recalled` event.

    No event is recorded if the query is quiet, if it took longer than the client waits (`query.within` seconds), or if
    nothing relevant was found. The result is empty for a blank prompt and for a slash command.
    """
    if not is_conversation(query.prompt):
        return AffectRecallView(recalled=(), block="")
    queries, rules, began = AffectiveQueries(resources.database), agent.rules, monotonic()
    mood = await queries.mood(agent.agent_id, query.session) if query.session else None
    vectors = resources.vectors.with_embedder_of(defined.embedding)
    felt, vector = mood.emotion if mood else None, await _vector_in_time(vectors, query.prompt)
    relevance, revival = _bounds(agent, vectors, words_only=vector is None)
    asking = RetrievalRequest(query.prompt, relevance, revival, felt, query.category)
    wanted = AffectiveRetrieval(
        top=max(MAX_CANDIDATES, rules.retrieval.top_k),
        relevance=relevance,
        revival=revival,
        mood=felt,
        archive=rules.archive.enable_archive_recall,
        newest=asking.last_time,
        fill=rules.retrieval.fill_up,
    )
    found = await _candidates(query, agent, vectors, vector, wanted, queries)
    if vector is None or vectors.embedder.lexical:
        found = await _with_words(query.prompt, found, queries)
    chosen = rank(found, asking, rules)
    block = ContextBlock()
    await _add_memories(block, chosen, agent, queries)
    recall_event = _recall_event(query, block.shown, asking, agent)
    waited_for = query.within is None or monotonic() - began < query.within
    if waited_for and not query.quietly and (recall_event.recalled or recall_event.asked_back):
        await resources.log.append(recall_event)
    views = tuple(_view(each, agent.nights) for each in block.shown)
    return AffectRecallView(recalled=views, block=block.text, words_only=vector is None)


def _bounds(agent: AffectAgent, vectors: Vectors, *, words_only: bool) -> tuple[float, float]:
    """Return two minimum similarities from which a memory is relevant: for active memories, and for archived ones."""
    rules = agent.rules
    if words_only:
        return MIN_SHARED_WORDS, MIN_SHARED_WORDS
    given, revival = rules.retrieval.relevance_similarity, rules.archive.revival_similarity
    relevance = vectors.embedder.recall_threshold if given is None else given
    return relevance, relevance if revival is None else revival


async def _with_words(
    prompt: str, found: Sequence[AffectCandidate], queries: AffectiveQueries
) -> list[AffectCandidate]:
    """Return the candidates with `shares_words` set: True if a candidate shares enough words with the prompt."""
    asked = prompt_terms(own_lines(prompt))
    words = await queries.words(each.memory_id for each in found) if asked else {}
    return [replace(each, shares_words=shares_topic(asked, words.get(each.memory_id, ""))) for each in found]


async def _add_memories(
    block: ContextBlock, chosen: Sequence[RankedMemory], agent: AffectAgent, queries: AffectiveQueries
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
        reach = block.fill(related_memories(ids, near, (each.memory.memory_id for each in block.shown))[:left])
        left -= len(reach)


async def most_similar_memory(
    words: str, agent: AffectAgent, defined: Agent, resources: Resources
) -> Sequence[AffectMemory]:
    """Return the active memory that is most similar to `words` and has the same subject; an empty sequence if there is
    none.
    """
    vectors, queries = resources.vectors.with_embedder_of(defined.embedding), AffectiveQueries(resources.database)
    bound, _ = _bounds(agent, vectors, words_only=False)
    wanted = AffectiveRetrieval(top=5, relevance=bound, revival=bound, mood=None, archive=False)
    found = await queries.candidates_by_vector(agent, vectors.generation, (await vectors.of([words]))[0], wanted)
    if vectors.embedder.lexical:
        found = [each for each in await _with_words(words, found, queries) if each.shares_words]
    nearest = max(found, key=lambda each: each.similarity, default=None)
    return () if nearest is None else tuple((await queries.memories([nearest.memory_id])).values())


async def _candidates(
    query: AffectRecallQuery,
    agent: AffectAgent,
    vectors: Vectors,
    vector: NDArray[np.float32] | None,
    wanted: AffectiveRetrieval,
    queries: AffectiveQueries,
) -> list[AffectCandidate]:
    asked = sorted(dict.fromkeys(terms(query.prompt)), key=len, reverse=True)[:MAX_PROMPT_WORDS]
    found: dict[UUID, AffectCandidate] = {}
    for category in dict.fromkeys((query.category, None)):
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


def _recall_event(
    query: AffectRecallQuery, shown: Sequence[RetrievedMemory], asking: RetrievalRequest, agent: AffectAgent
) -> MemoriesRecalled:
    """Return the event that records a recall. It names the memories that the assistant is shown, except those that only
    fill up the result.
    """
    came = [each.ranked for each in shown if each.ranked is not None]
    meant = [each.memory for each in shown if each.ranked is None or each.ranked.by != "fill"]
    return MemoriesRecalled(
        event_id=uuid4(),
        agent_id=agent.agent_id,
        session=query.session,
        recalled=tuple(each.memory_id for each in meant if not each.archived),
        asked_back=to_revive(came, asking),
        mood=meant[0].emotion if meant else None,
    )


def _view(one: RetrievedMemory, night: int) -> RecalledView:
    ranked = one.ranked
    return RecalledView(
        memory=memory_view(one.memory, night),
        priority=ranked.priority if ranked else 0.0,
        similarity=ranked.candidate.similarity if ranked else 0.0,
        resonance=ranked.resonance if ranked else 0.0,
        by=ranked.by if ranked else "relation",
        relation=one.relation,
    )
