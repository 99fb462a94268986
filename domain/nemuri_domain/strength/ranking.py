"""Stage 2 of retrieval: features, scores, and selection for the context (document 000 §3.4)."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import nlargest
from math import ceil
from random import Random
from types import MappingProxyType
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.agents import GENERAL
from nemuri_contracts.strength import FEATURES, Candidate
from nemuri_domain.language.word_table import Words
from nemuri_domain.strength import scorer
from nemuri_domain.strength.aggregate import Agent, RankedState, Scorer
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.ranked_memory import RankedContent
from nemuri_domain.strength.succession import COMPARED, Statement, Successor, successors

DAY = 86_400.0
HALF = 0.5
"""Similarity that counts half. A memory that surely fits has 0.4 or more."""
_DOCUMENTED = {"document_003": (0.50, 0.30, 0.20), "document_000": (0.40, 0.40, 0.20)}
"""Weights of raw similarity, strength and recency in the rankings of document 003 §4.3 and document 000 §3.4."""
YIELD_MARGIN = 1e-6
"""Minimum difference between the score of a memory and the score of the newer one that contradicts or supersedes it."""
MEMORIES_PER_ITEM = 2
"""Number of memories in the context for each item of a query.

Measured with ten questions (Japanese paragraphs) in one list, as the share of questions whose paragraph is in the
context: 0.59 with one search for the whole list and ten memories; 0.85 with a search per question and ten memories;
0.95 with a search per question and twenty memories. A single question reaches 0.98 with ten. Taking the best memory of
each question before the second best of any: 0.90 with ten, 0.93 with twenty.
"""
VERSIONS = {"learned": "linear-1", "linear": "linear-1", "document_003": "document-003", "document_000": "document-000"}


@dataclass(frozen=True, slots=True)
class RelevantMemory:
    """A memory that stage 1 found, with what ranking reads of it and its relevance to the query."""

    memory_id: UUID
    content: RankedContent
    memory: RankedState
    similarity: float
    lexical: float
    relevance: float
    in_context: float
    """The relevance with that of its neighbours in a conversation."""
    words: Words
    """The words of its indexed text."""


@dataclass(frozen=True, slots=True)
class RetrievalContext:
    """The circumstances of a retrieval that its features depend on."""

    perspective: str | None
    tags: frozenset[str]
    """Tags of candidates that occur in the query."""
    now: datetime
    query: str = ""
    at: datetime | None = None
    """Time that is asked about; None for the present."""


def expanded(agent: Agent, query: str) -> dict[str, str]:
    """Return one expansion per perspective: the query followed by the keywords of the perspective, or by its name if it
    has none. The perspective `GENERAL` without keywords adds nothing.

    Empty if the policy switches expansion off (document 000 §3.4, document 003 §4.7).
    """
    if not agent.rules.enable_query_expansion:
        return {}
    own = (
        perspective
        for perspective in agent.definition.perspectives
        if perspective.keywords or perspective.name != GENERAL
    )
    return {perspective.name: f"{query} {' '.join(perspective.keywords or (perspective.name,))}" for perspective in own}


def features(agent: Agent, found: RelevantMemory, occasion: RetrievalContext) -> tuple[float, ...]:
    """Return the nine raw features of a candidate, in the order of `FEATURES`.

    Similarity is the relevance from stage 1, with that of the neighbours in a conversation. Recency is 1 / (1 + days
    since the last use). For a memory that was never used, the days count since its encoding.
    """
    memory, content = found.memory, found.content
    since = memory.last_accessed_at or content.created_at
    days = max(0.0, (occasion.now - since).total_seconds() / DAY)
    return (
        found.in_context,
        agent.strength(memory),
        agent.strength(memory, occasion.perspective),
        memory.access_count / max(1, memory.candidate_count),
        1.0 / (1.0 + days),
        memory.impact_score,
        float(len(occasion.tags.intersection(content.tags))),
        1.0 if content.principle is not None and content.principle in agent.definition.held else 0.0,
        1.0 if occasion.perspective in content.learned else 0.0,
    )


def transformed(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the raw features after transform `linear-1`, shape (n, 9). Each value is 0 to 1.

    Similarity becomes x / (1/2 + x), so a score says how well a memory fits, whoever else is there. Strengths, impact
    and tag overlap become x / (1 + x).
    """
    out = raw.copy()
    similar = np.maximum(out[:, 0], 0.0)
    out[:, 0] = similar / (HALF + similar)
    for column in (1, 2, 5, 6):
        out[:, column] = out[:, column] / (1.0 + out[:, column])
    out[:, 3] = np.minimum(out[:, 3], 1.0)
    return out


def serving_scorer(policy: Policy, known: Scorer | None) -> Scorer | None:
    """Return the agent's scorer if it ranks; None if the policy names another ranking, or if the scorer does not
    serve.
    """
    return known if known is not None and known.serves and policy.ranking == "learned" else None


def version(policy: Policy, known: Scorer | None = None) -> str:
    """Return the name of the ranking that results from a policy and the agent's scorer."""
    learned = serving_scorer(policy, known)
    return f"scorer-{learned.number}" if learned else VERSIONS[policy.ranking]


def scores(raw: NDArray[np.float64], policy: Policy, known: Scorer | None = None) -> NDArray[np.float64]:
    """Return the score of each candidate by the policy's ranking. Raw features have shape (n, 9), scores shape (n,)."""
    documented = _DOCUMENTED.get(policy.ranking)
    if documented is None:
        learned = serving_scorer(policy, known)
        return scorer.scores(learned.weights, transformed(raw)) if learned else scorer.linear(transformed(raw))
    columns = [FEATURES.index(name) for name in ("similarity", "strength", "recency")]
    return np.asarray(raw[:, columns] @ np.array(documented))


def ranked(
    agent: Agent, found: Sequence[RelevantMemory], occasion: RetrievalContext, known: Scorer | None = None
) -> tuple[Candidate, ...]:
    """Return the candidates with their features and scores, best first; ties by relevance, then by id.

    `known` is the agent's learned scorer. An outdated candidate comes after the newer one (`lower_outdated`).
    """
    if not found:
        return ()
    raw = [features(agent, memory, occasion) for memory in found]
    values = scores(np.array(raw, dtype=np.float64), agent.rules, known)
    candidates = [
        Candidate(
            memory_id=candidate.memory_id,
            similarity=candidate.similarity,
            lexical=candidate.lexical,
            relevance=candidate.relevance,
            features=row,
            score=float(value),
            archived=candidate.memory.status == "archived",
            source=candidate.content.source,
        )
        for candidate, row, value in zip(found, raw, values, strict=True)
    ]
    by_id = {memory.memory_id: memory for memory in found}
    return best_first(candidates, by_id, occasion.perspective, occasion.query, occasion.at)


def best_first(
    candidates: Sequence[Candidate],
    known: Mapping[UUID, RelevantMemory],
    perspective: str | None,
    query: str,
    at: datetime | None = None,
) -> tuple[Candidate, ...]:
    """Return the candidates by score, best first; ties by relevance, then by id.

    Before sorting, the scores of outdated candidates are lowered (`lower_outdated`): of those that a newer memory is
    recorded to contradict or supersede, and of those that a newer candidate about the same thing succeeds
    (`succession`). A pair that was judged is not compared, and a plan succeeds nothing. With a time `at`, what was told
    later succeeds nothing by comparison.
    """
    found = [known[candidate.memory_id] for candidate in candidates]
    factual = (memory for memory in found if not memory.content.planned)
    told = (memory for memory in factual if at is None or memory.content.told_at(memory.memory) <= at)
    near = nlargest(COMPARED, told, key=lambda memory: memory.relevance)
    later = successors([_statement(memory, perspective) for memory in near], query)
    memories = {memory.memory_id: memory.memory for memory in found}
    aside = outdated_elsewhere({memory.memory_id: memory.content for memory in found}, memories, perspective)
    archived = {candidate.memory_id for candidate in candidates if candidate.archived}
    # What is recorded counts more than what is compared, and an archived memory does not outdate an active one.
    later = {
        older: candidate
        for older, candidate in later.items()
        if older not in memories[candidate.memory_id].yields_to
        and not _judged(memories, older, candidate.memory_id)
        and (older, candidate.memory_id) not in aside
        and (older in archived or candidate.memory_id not in archived)
    }
    later |= _recorded_successors(memories, archived)
    yielding = lower_outdated(_lifted(candidates, later), memories, aside, later)
    return tuple(
        sorted(yielding, key=lambda candidate: (-candidate.score, -candidate.relevance, str(candidate.memory_id)))
    )


def _statement(found: RelevantMemory, perspective: str | None) -> Statement:
    words = found.content.statement(found.words, perspective)
    return Statement(found.memory_id, words, found.content.told_at(found.memory), found.relevance)


def _judged(memories: Mapping[UUID, RankedState], one: UUID, other: UUID) -> bool:
    """Return whether one of two memories was judged against the other."""
    pairs = ((one, other), (other, one))
    return any(relation.older == older for newer, older in pairs for relation in memories[newer].relations)


def _recorded_successors(memories: Mapping[UUID, RankedState], archived: Collection[UUID]) -> dict[UUID, Successor]:
    """Return for each candidate that a candidate supersedes the one that superseded it last.

    An archived memory does not supersede an active one here.
    """
    found: dict[UUID, Successor] = {}
    for memory_id, memory in memories.items():
        held = {
            newer: until
            for newer, until in memory.held_until.items()
            if newer in memories and (memory_id in archived or newer not in archived)
        }
        if held:
            newest = max(held, key=lambda newer: (held[newer], newer))
            found[memory_id] = Successor(newest, held[newest])
    return found


def outdated_elsewhere(
    contents: Mapping[UUID, RankedContent], memories: Mapping[UUID, RankedState], perspective: str | None
) -> frozenset[tuple[UUID, UUID]]:
    """Return the pairs of an older and a newer memory that need not be ranked by age under this perspective.

    The newer one contradicts or supersedes only what the older one taught under other perspectives, and the older one
    has a learning under this perspective.
    """
    taught = {memory_id for memory_id, content in contents.items() if perspective in content.learned}
    concerned: dict[tuple[UUID, UUID], set[str | None]] = {}
    for memory_id, newer in memories.items():
        for relation in newer.relations:
            if relation.older in taught:
                concerned.setdefault((relation.older, memory_id), set()).add(relation.perspective)
    return frozenset(pair for pair, names in concerned.items() if not names & {None, perspective})


def lower_outdated(
    candidates: Sequence[Candidate],
    memories: Mapping[UUID, RankedState],
    aside: Collection[tuple[UUID, UUID]] = (),
    later: Mapping[UUID, Successor] = MappingProxyType({}),
) -> list[Candidate]:
    """Return the candidates, with lower scores for outdated ones, which a newer candidate contradicts or supersedes, or
    which have a successor in `later`.

    An outdated candidate scores at least `YIELD_MARGIN` less than the best of the newer candidates, in any ranking. If
    a newer candidate is outdated itself, its score is lowered first. An archived memory does not outdate an active one,
    and in the pairs `aside` (`outdated_elsewhere`) the older one keeps its score.
    """
    ids = (scored.memory_id for scored in candidates)
    outdated = {memory_id for memory_id in ids if memory_id in later or memories[memory_id].yields_to}
    if not outdated:
        return list(candidates)
    by_id = {scored.memory_id: scored for scored in candidates}
    settled: dict[UUID, Candidate] = {}

    def settle(candidate: Candidate, above: frozenset[UUID]) -> Candidate:
        memory_id = candidate.memory_id
        if memory_id not in settled:
            above |= {memory_id}
            recorded, compared = memories[memory_id].yields_to, later.get(memory_id)
            newer = [
                settle(by_id[recorded_id], above)
                for recorded_id in dict.fromkeys((*recorded, *((compared.memory_id,) if compared else ())))
                if recorded_id in by_id
                and recorded_id not in above
                and (memory_id, recorded_id) not in aside
                and (candidate.archived or not by_id[recorded_id].archived)
            ]
            settled[memory_id] = _below(candidate, newer, memories) if newer else candidate
        return settled[memory_id]

    settling = [settle(scored, frozenset()) if scored.memory_id in outdated else scored for scored in candidates]
    return [_held(candidate, memories[candidate.memory_id]) for candidate in settling]


def _held(candidate: Candidate, memory: RankedState) -> Candidate:
    """Return the candidate with the time until which it held, if something supersedes it, found or not."""
    if not memory.held_until:
        return candidate
    return candidate.model_copy(update={"held_until": min(memory.held_until.values())})


def _lifted(candidates: Sequence[Candidate], later: Mapping[UUID, Successor]) -> list[Candidate]:
    """Return the candidates with each successor scored at least as high as what it succeeds: both are about the same
    thing, even if only the older one is worded like the query.
    """
    least: dict[UUID, float] = {}
    for candidate in candidates:
        if candidate.memory_id in later:
            newest = later[candidate.memory_id].memory_id
            least[newest] = max(least.get(newest, 0.0), candidate.score)
    return [
        candidate.model_copy(update={"score": max(candidate.score, least[candidate.memory_id])})
        if candidate.memory_id in least
        else candidate
        for candidate in candidates
    ]


def _below(candidate: Candidate, newer: Sequence[Candidate], memories: Mapping[UUID, RankedState]) -> Candidate:
    """Return the candidate with a score below the best of the newer ones."""
    first = max(newer, key=lambda scored: scored.score)
    found = {"score": min(candidate.score, first.score - YIELD_MARGIN), "yields_to": first.memory_id}
    if first.memory_id in memories[candidate.memory_id].yields_to:
        sorts = {relation.older: relation.sort for relation in memories[first.memory_id].relations}
        found["yields_as"] = sorts.get(candidate.memory_id, "supersedes")
    return candidate.model_copy(update=found)


@dataclass(frozen=True, slots=True)
class Selection:
    """Memories selected for the context, best first."""

    memory_ids: tuple[UUID, ...]
    crowded: tuple[UUID, ...] = ()
    """Memories left out because the share of their source in the context was full."""


def selected(
    candidates: Sequence[Candidate],
    policy: Policy,
    *,
    top: int | None,
    seed: int,
    apart: Collection[UUID] = (),
    items: int = 0,
) -> Selection:
    """Return the candidates selected for the context (document 000 §3.4: the cliff and its remedies).

    Pass all candidates of a retrieval, because each is judged by its rank among them; those in `apart` are never
    selected. A source gets at most `source_share` of the places while other sources have candidates. A query of several
    `items` gets `MEMORIES_PER_ITEM` places per item, at most `selection_limit`, unless `top` gives the number of
    places. `seed` determines the random draws of `tail`.
    """
    limit = policy.selection_limit
    base = top or max(policy.top_k_results, min(MEMORIES_PER_ITEM * items, limit))
    open_to = [
        pair for pair in zip(candidates, _levels(candidates, policy), strict=True) if pair[0].memory_id not in apart
    ]
    if policy.selection == "threshold":
        base, open_to = limit, [pair for pair in open_to if pair[1] >= policy.score_threshold]
    ranked = [candidate for candidate, _ in open_to]
    chosen, over = shared(ranked, base, policy.source_share)
    if policy.selection == "tail":
        draw, settled = Random(seed), {candidate.memory_id for candidate in (*chosen, *over)}
        rest = [pair for pair in open_to if pair[0].memory_id not in settled]
        chosen = [*chosen, *(candidate for candidate, level in rest[: max(0, limit - base)] if draw.random() < level)]
    passed = {candidate.memory_id for candidate in over}
    crowded = tuple(candidate.memory_id for candidate in ranked[:base] if candidate.memory_id in passed)
    return Selection(tuple(candidate.memory_id for candidate in chosen), crowded)


def shared(candidates: Sequence[Candidate], room: int, share: float) -> tuple[list[Candidate], list[Candidate]]:
    """Return up to `room` candidates, best first, and the candidates passed over because of the share of their source.

    While other sources have candidates, no source gets more than `share` of the room. Remaining places go to the best
    that were passed over. Candidates without a source have no limit.
    """
    most, taken = ceil(share * room), Counter[str]()
    first, over = list[Candidate](), list[Candidate]()
    for candidate in candidates:
        if len(first) == room:
            break
        full = bool(candidate.source) and taken[candidate.source] >= most
        (over if full else first).append(candidate)
        taken[candidate.source] += not full
    back = over[: room - len(first)]
    chosen = {scored.memory_id for scored in (*first, *back)}
    return [candidate for candidate in candidates if candidate.memory_id in chosen], over[len(back) :]


def _levels(candidates: Sequence[Candidate], policy: Policy) -> list[float]:
    """Return one score for each rank, best first, by the policy's ranking without the learned scorer.

    The learned scorer has a scale of its own. So it decides only the order of the candidates, and the score of rank n
    is the n-th highest linear score. The number of selected memories is therefore the same with and without a learned
    scorer.
    """
    raw = np.array([candidate.features for candidate in candidates], dtype=np.float64).reshape(-1, len(FEATURES))
    return sorted(scores(raw, policy).tolist(), reverse=True)
