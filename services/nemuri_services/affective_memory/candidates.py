"""Candidates of a retrieval from affective memory: by the vector of a text, or by its words if the embedder does not
answer in time.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.affective.aggregate import AffectAgent
from nemuri_domain.affective.policy import AffectPolicy
from nemuri_domain.affective.retrieval import AffectCandidate, RetrievalRequest, looked_at_first
from nemuri_domain.affective.spoken_text import own_lines
from nemuri_domain.language.tokenization import terms
from nemuri_domain.language.topic_check import prompt_terms, shares_topic
from nemuri_infra.models.failures import ModelUnavailable, ModelUnusable
from nemuri_infra.projections.affective_queries import AffectiveQueries, AffectiveRetrieval
from nemuri_infra.stores.vectors import Vectors

VECTOR_TIMEOUT = 0.5
"""Maximum seconds to wait for the vector of a prompt. After that the words of the prompt are compared instead."""
MAX_PROMPT_WORDS = 24
"""Maximum number of distinct words of a prompt that are compared. The longest ones are taken."""
MIN_SHARED_WORDS = 0.3
"""Minimum share of a prompt's words, 0 to 1, that a relevant memory contains. Used if the prompt has no vector."""
CHECKED_TOGETHER = 100
"""Number of candidates whose words are read in one query."""


def bounds(agent: AffectAgent, vectors: Vectors, *, words_only: bool) -> tuple[float, float]:
    """Return two minimum similarities from which a memory is relevant: for active memories, and for archived ones."""
    rules = agent.rules
    if words_only:
        return MIN_SHARED_WORDS, MIN_SHARED_WORDS
    given, revival = rules.retrieval.relevance_similarity, rules.archive.revival_similarity
    relevance = vectors.embedder.recall_threshold if given is None else given
    return relevance, relevance if revival is None else revival


async def find_candidates(
    prompt: str,
    agent: AffectAgent,
    vectors: Vectors,
    vector: NDArray[np.float32] | None,
    wanted: AffectiveRetrieval,
    queries: AffectiveQueries,
) -> list[AffectCandidate]:
    """Return the candidates of a prompt, of its category and of all, by its vector, or by its words without one."""
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


async def enough_with_words(
    prompt: str,
    found: Sequence[AffectCandidate],
    asking: RetrievalRequest,
    rules: AffectPolicy,
    queries: AffectiveQueries,
) -> list[AffectCandidate]:
    """Return the candidates with `shares_words` set, as many of them, best first, as a ranking needs."""
    some, rest = looked_at_first(found, asking, rules)
    checked = await with_words(prompt, some, queries)
    for place in range(0, len(rest), CHECKED_TOGETHER):
        more = await with_words(prompt, rest[place : place + CHECKED_TOGETHER], queries)
        checked += more
        if sum(each.shares_words and not each.archived for each in checked) >= rules.retrieval.top_k:
            break
    return checked


async def with_words(prompt: str, found: Sequence[AffectCandidate], queries: AffectiveQueries) -> list[AffectCandidate]:
    """Return the candidates with `shares_words` set: True if a candidate shares enough words with the prompt."""
    asked = prompt_terms(own_lines(prompt))
    words = await queries.words(each.memory_id for each in found) if asked else {}
    return [replace(each, shares_words=shares_topic(asked, words.get(each.memory_id, ""))) for each in found]


async def vector_in_time(vectors: Vectors, prompt: str) -> NDArray[np.float32] | None:
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
