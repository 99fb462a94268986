"""Candidates of a retrieval from affective memory: by the vector of a text, or by its words if the embedder does not
answer in time.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.affective.aggregate import AffectAgent
from nemuri_domain.affective.policy import AffectPolicy
from nemuri_domain.affective.retrieval import AffectCandidate, RetrievalRequest, is_relevant, looked_at_first
from nemuri_domain.affective.spoken_text import own_lines
from nemuri_domain.language.tokenization import terms
from nemuri_domain.language.topic_check import prompt_terms, shared_terms, shares_topic, topic_scores
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


@dataclass(frozen=True, slots=True)
class Bounds:
    """Minimum similarities of a retrieval."""

    relevance: float
    """From here on an active memory is relevant."""
    revival: float
    """From here on an archived memory is relevant."""
    candidate: float
    """From here on a memory is a candidate, whose words are compared."""
    archived_candidate: float


def bounds(agent: AffectAgent, vectors: Vectors, *, words_only: bool) -> Bounds:
    """Return the bounds of the policy, or else those of the embedder.

    A memory below the embedder's bound may be relevant by its words. A bound of the policy is never undercut.
    """
    if words_only:
        return Bounds(*[MIN_SHARED_WORDS] * 4)
    thresholds, rules = vectors.thresholds, agent.rules
    given, revival = rules.retrieval.relevance_similarity, rules.archive.revival_similarity
    relevance, candidate = (thresholds.recall, thresholds.relevance) if given is None else (given, given)
    if revival is None:
        return Bounds(relevance, relevance, candidate, candidate)
    return Bounds(relevance, revival, candidate, archived_candidate=revival)


async def find_candidates(
    prompt: str,
    agent: AffectAgent,
    vectors: Vectors,
    vector: NDArray[np.float32] | None,
    wanted: AffectiveRetrieval,
    queries: AffectiveQueries,
) -> list[AffectCandidate]:
    """Return the candidates of a prompt, of its category and of all, by its vector, or by its words without one."""
    found: dict[UUID, AffectCandidate] = {}
    for category in dict.fromkeys((wanted.category, None)):
        each = replace(wanted, category=category)
        some = (
            await queries.candidates_by_words(agent, _longest_terms(prompt), each)
            if vector is None
            else await queries.candidates_by_vector(agent, vectors, vector, each)
        )
        found |= {one.memory_id: one for one in some}
    return list(found.values())


def _longest_terms(prompt: str) -> list[str]:
    return sorted(dict.fromkeys(terms(prompt)), key=len, reverse=True)[:MAX_PROMPT_WORDS]


async def enough_with_words(
    found: Sequence[AffectCandidate],
    asking: RetrievalRequest,
    rules: AffectPolicy,
    queries: AffectiveQueries,
) -> list[AffectCandidate]:
    """Return the candidates whose words were compared: as many of them, best first, as a ranking needs."""
    asked, compared = asking.terms, list[AffectCandidate]()
    first, rest = looked_at_first(found, asking, rules)
    checked, shared = list[AffectCandidate](), list[frozenset[str]]()
    for more in (first, *(rest[place : place + CHECKED_TOGETHER] for place in range(0, len(rest), CHECKED_TOGETHER))):
        checked += more
        shared += await _shared(asked, more, queries)
        compared = _compared(asked, checked, shared)
        if sum(is_relevant(each, asking) and not each.archived for each in compared) >= rules.retrieval.top_k:
            break
    return compared


async def with_words(prompt: str, found: Sequence[AffectCandidate], queries: AffectiveQueries) -> list[AffectCandidate]:
    """Return the candidates with their words compared with those of the prompt."""
    asked = prompt_terms(own_lines(prompt))
    return _compared(asked, found, await _shared(asked, found, queries))


async def _shared(
    asked: Mapping[str, float], found: Sequence[AffectCandidate], queries: AffectiveQueries
) -> list[frozenset[str]]:
    """Return the terms of the prompt that each candidate has."""
    words = await queries.words(each.memory_id for each in found) if asked else {}
    return [shared_terms(asked, words.get(each.memory_id, "")) for each in found]


def _compared(
    asked: Mapping[str, float], found: Sequence[AffectCandidate], shared: Sequence[frozenset[str]]
) -> list[AffectCandidate]:
    scores = topic_scores(asked, shared)
    return [
        replace(each, shares_topic=shares_topic(asked, terms), words=score)
        for each, terms, score in zip(found, shared, scores, strict=True)
    ]


async def vector_in_time(vectors: Vectors, prompt: str) -> NDArray[np.float32] | None:
    """Return the prompt's vector; None if the embedder needs more than `VECTOR_TIMEOUT` seconds, is unavailable, or
    gives an unusable answer.

    It is not stored, because no event holds the prompt, so that an erasure could not find its vector.
    """
    try:
        async with asyncio.timeout(VECTOR_TIMEOUT):
            rows = await vectors.comparing.queries([prompt])
    except (TimeoutError, ModelUnavailable, ModelUnusable):
        return None
    vector: NDArray[np.float32] = rows[0]
    return vector
