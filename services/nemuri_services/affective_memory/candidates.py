"""Candidates of a retrieval from affective memory: by the vectors of a prompt's parts, or by its words if the embedder
does not answer in time.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nemuri_domain.affective.aggregate import AffectAgent
from nemuri_domain.affective.candidate_query import AffectiveRetrieval, PromptVectors
from nemuri_domain.affective.candidate_selection import candidates, chosen
from nemuri_domain.affective.kept_code import prose
from nemuri_domain.affective.prompt_topic import WORDED, PromptTopic, speaks_of_it, subject_threshold
from nemuri_domain.affective.retrieval import AffectCandidate, RetrievalRequest
from nemuri_domain.affective.topic_check import shared_terms, shares_topic, topic_scores
from nemuri_domain.language.tokenization import terms
from nemuri_infra.models.failures import ModelUnavailable, ModelUnusable
from nemuri_infra.projections.affective_queries import AFFECTIVE, AffectiveQueries
from nemuri_infra.projections.memory_indexes import MemoryIndexes
from nemuri_infra.stores.vectors import Vectors

VECTOR_TIMEOUT = 0.5
"""Maximum seconds to wait for the vector of a prompt. After that the words of the prompt are compared instead."""
MAX_PROMPT_WORDS = 24
"""Maximum number of distinct words of a prompt that are compared. The longest ones are taken."""
MIN_SHARED_WORDS = 0.3
"""Minimum share of a prompt's words, 0 to 1, that a relevant memory contains. Used if the prompt has no vector."""
MAX_COMPARED = 150
"""Maximum number of candidates whose words are read."""
MAX_REMARKED = 8
"""Number of the nearest memories that are relevant to a remark about the user's life."""
MAX_MEANT = 40
"""Maximum number of candidates that are compared by meaning: those with most words of the prompt, and the nearest."""


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
    subject: float | None = None
    """Mean similarity of the nearest memories from which the memories often speak of the prompt's subject; None if that
    does not count.
    """
    contrast: float = 1.0
    """Minimum similarity of a memory on such a subject, without what all memories have in common."""


def bounds(agent: AffectAgent, vectors: Vectors, *, words_only: bool) -> Bounds:
    """Return the bounds of the policy, or else those of the embedder.

    A memory below the embedder's bound may be relevant by its topic. A bound of the policy is never undercut.
    """
    if words_only:
        return Bounds(*[MIN_SHARED_WORDS] * 4)
    thresholds, rules = vectors.thresholds, agent.rules
    given, revival = rules.retrieval.relevance_similarity, rules.archive.revival_similarity
    relevance, candidate = (thresholds.recall, thresholds.candidate) if given is None else (given, given)
    found = Bounds(relevance, relevance, candidate, candidate)
    if revival is not None:
        found = replace(found, revival=revival, archived_candidate=revival)
    if given is None and revival is None:
        often = subject_threshold(thresholds.subject, agent.number + agent.protected)
        found = replace(found, subject=often, contrast=thresholds.contrast)
    return found


async def find_candidates(
    prompt: str,
    agent: AffectAgent,
    vectors: Vectors,
    asked: PromptVectors | None,
    wanted: AffectiveRetrieval,
    queries: AffectiveQueries,
    indexes: MemoryIndexes,
) -> list[AffectCandidate]:
    """Return the candidates of a prompt by its vectors, or by its words if it has none.

    By words, the similarity of a candidate is the share of the prompt's longest words that its text contains. There is
    none for a prompt without words.
    """
    if asked is not None:
        return await candidates_by_vector(agent, vectors, asked, wanted, indexes)
    if not (words := _longest_terms(prompt)):
        return []
    shares = await queries.word_shares(agent.agent_id, words)
    async with indexes.current(AFFECTIVE, agent.agent_id, vectors) as index:
        return chosen(index, agent, np.array([shares.get(key, 0.0) for key in index.ids], np.float32), None, wanted)


async def candidates_by_vector(
    agent: AffectAgent, vectors: Vectors, asked: PromptVectors, wanted: AffectiveRetrieval, indexes: MemoryIndexes
) -> list[AffectCandidate]:
    """Return the candidates of a retrieval by centred vectors of the calibrated store `vectors`."""
    async with indexes.current(AFFECTIVE, agent.agent_id, vectors) as index:
        return await asyncio.to_thread(candidates, index, agent, asked, wanted)


def _longest_terms(prompt: str) -> list[str]:
    return sorted(dict.fromkeys(terms(prompt)), key=len, reverse=True)[:MAX_PROMPT_WORDS]


async def compared_with_topic(
    found: Sequence[AffectCandidate], asking: RetrievalRequest, least: Bounds, queries: AffectiveQueries
) -> list[AffectCandidate]:
    """Return the candidates after their texts were compared with what the prompt is about: by words, code included, and
    by meaning, without code.

    If there are more than `MAX_COMPARED`, the nearest are compared and the others left out.
    """
    nearest = sorted(found, key=lambda candidate: (-candidate.similarity, candidate.memory_id.bytes))[:MAX_COMPARED]
    remarked = _remarked(found, asking)
    nearest += [candidate for candidate in remarked if candidate not in nearest]
    texts = await queries.words(candidate.memory_id for candidate in nearest)
    some = [texts.get(candidate.memory_id, "") for candidate in nearest]
    shared = [shared_terms(asking.terms, text) for text in some]
    scores = topic_scores(asking.terms, shared)
    places = sorted(range(len(nearest)), key=lambda at: (-scores[at], at))[: MAX_MEANT // 2]
    places = list(dict.fromkeys((*places, *range(len(nearest)))))[:MAX_MEANT]
    relevant = await asyncio.to_thread(asking.topic.compare, [prose(some[at]) for at in places])
    plain = dict(zip(places, relevant.plain.tolist(), strict=True))
    meant = dict(zip(places, relevant.meant.tolist(), strict=True))
    on_subject = least.subject is not None and speaks_of_it(
        (candidate.similarity for candidate in found), least.subject
    )
    about = [plain.get(at, 0.0) >= WORDED and shares_topic(asking.terms, some) for at, some in enumerate(shared)]
    by_words = any(about) or any(meant.values())
    return [
        replace(
            candidate,
            shares_topic=about[at],
            means_topic=meant.get(at, False),
            on_subject=candidate in remarked or (on_subject and candidate.apart >= least.contrast),
            words=scores[at] if by_words and not asking.remark else None,
        )
        for at, candidate in enumerate(nearest)
    ]


def _remarked(found: Sequence[AffectCandidate], asking: RetrievalRequest) -> list[AffectCandidate]:
    """Return the active memories nearest to a prompt that is a remark about the user's life; none for other prompts."""
    if asking.words_only or not asking.remark:
        return []
    active = (candidate for candidate in found if not candidate.archived)
    return sorted(active, key=lambda candidate: (-candidate.apart, candidate.memory_id.bytes))[:MAX_REMARKED]


async def vectors_in_time(vectors: Vectors, topic: PromptTopic) -> PromptVectors | None:
    """Return the vectors of a prompt's parts; None if the embedder needs more than `VECTOR_TIMEOUT` seconds, is
    unavailable, or gives an unusable answer.

    They are not stored, because no event holds the prompt, so that an erasure could not find its vectors.
    """
    try:
        async with asyncio.timeout(VECTOR_TIMEOUT):
            rows = await vectors.comparing.queries(topic.texts)
    except (TimeoutError, ModelUnavailable, ModelUnusable):
        return None
    return PromptVectors(rows, topic.weights, contrasted=vectors.comparing.calibration.centre is None)
