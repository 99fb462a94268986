"""Replay of logged retrievals: the context that a mind would have selected from the recorded candidates."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from nemuri_contracts.strength import FEATURES, Candidate, MemoriesRetrieved
from nemuri_domain.language.request_items import requests
from nemuri_domain.strength.aggregate import Agent, Memory, Mind
from nemuri_domain.strength.context_principles import context_principles, valid_principles
from nemuri_domain.strength.query_texts import MAX_QUERY_ITEMS
from nemuri_domain.strength.ranking import (
    RelevantMemory,
    RetrievalContext,
    best_first,
    features,
    scores,
    selected,
)


@dataclass(frozen=True, slots=True)
class ReplayedContext:
    """The context that a mind would have selected."""

    in_context: tuple[UUID, ...]
    """Principles, then the selected memories, best first."""
    archived: frozenset[UUID]
    """Candidates that are archived in the mind."""


def reranked(event: MemoriesRetrieved, recorded: Mind, other: Mind, defined: Collection[UUID]) -> ReplayedContext:
    """Return the context that the other mind selects from the recorded candidates.

    Both minds must be in their state before the retrieval. `defined` are the memories that definitions created. A
    feature keeps its logged value unless it differs between the two minds. With the recorded mind as `other`, the
    result is the logged context, provided that the projections were up to date at the retrieval.
    """
    agent = other.agent
    if agent is None:
        return ReplayedContext((), frozenset())
    known = [candidate for candidate in event.candidates if candidate.memory_id in other.memories]
    found = _found(known, event, other)[: agent.rules.candidate_limit]
    order = _ordered(found, event, recorded, other)
    remembered = ((other.contents[each], other.memories[each]) for each in defined if each in other.memories)
    # The principles of the organisation do not depend on the mind.
    shared = [principle for principle in event.principles if principle not in recorded.memories]
    kept = context_principles(agent, valid_principles(agent.definition, remembered, event.setting), shared)
    items = len(requests(event.query)[:MAX_QUERY_ITEMS])
    chosen = selected(order, agent.rules, top=None, seed=event.seed, apart=kept, items=items).memory_ids
    return ReplayedContext((*kept, *chosen), frozenset(each.memory_id for each in order if each.archived))


def _found(candidates: Collection[Candidate], event: MemoriesRetrieved, mind: Mind) -> list[Candidate]:
    """Return the candidates that are active in the mind, most relevant first.

    All candidates are returned if none is active, or if the retrieval was asked to search the archive.
    """
    active = [candidate for candidate in candidates if mind.memories[candidate.memory_id].status == "active"]
    # If all candidates are archived, the archive was searched because no active memory was relevant.
    on_demand = event.deep and not all(candidate.archived for candidate in candidates)
    return sorted(active if active and not on_demand else candidates, key=lambda candidate: -candidate.relevance)


def _ordered(
    candidates: Collection[Candidate], event: MemoriesRetrieved, recorded: Mind, other: Mind
) -> tuple[Candidate, ...]:
    agent = other.agent
    if agent is None or not candidates:
        return ()
    rows = [_features(candidate, event, recorded, other) for candidate in candidates]
    raw = np.array(rows, dtype=np.float64).reshape(-1, len(FEATURES))
    scored = [
        each.model_copy(
            update={
                "features": row,
                "score": float(score),
                "archived": other.memories[each.memory_id].status == "archived",
                "yields_to": None,
                "same_matter": False,
                "held_until": None,
            }
        )
        for each, row, score in zip(candidates, rows, scores(raw, agent.rules, other.scorer), strict=True)
    ]
    known = {
        candidate.memory_id: (other.contents[candidate.memory_id], other.memories[candidate.memory_id])
        for candidate in candidates
    }
    return best_first(scored, known, event.perspective, event.query)


def _features(candidate: Candidate, event: MemoriesRetrieved, recorded: Mind, other: Mind) -> tuple[float, ...]:
    memory_id = candidate.memory_id
    before, agent = recorded.agent, other.agent
    if before is None or agent is None or memory_id not in recorded.memories:
        return candidate.features

    def of(whose: Agent, memory: Memory) -> tuple[float, ...]:
        found = RelevantMemory(
            other.contents[memory_id],
            memory,
            candidate.similarity,
            candidate.lexical,
            candidate.relevance,
            candidate.features[0],
        )
        return features(whose, found, RetrievalContext(event.perspective, frozenset(), event.at))

    was, would = of(before, recorded.memories[memory_id]), of(agent, other.memories[memory_id])
    return tuple(
        logged if here == there else there for logged, here, there in zip(candidate.features, was, would, strict=True)
    )
