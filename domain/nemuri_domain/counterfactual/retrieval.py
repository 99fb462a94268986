"""Replay of logged retrievals: the context that a mind would have selected from the recorded candidates."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np

from nemuri_contracts.strength import FEATURES, Candidate, MemoriesRetrieved
from nemuri_domain.language.request_items import requests
from nemuri_domain.language.word_table import word_table
from nemuri_domain.strength.aggregate import Agent, Mind
from nemuri_domain.strength.context_principles import context_principles, valid_principles
from nemuri_domain.strength.memory_content import indexed_text
from nemuri_domain.strength.query_texts import MAX_QUERY_ITEMS
from nemuri_domain.strength.ranked_memory import RankedContent
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
    remembered = (
        (other.contents[memory_id], other.memories[memory_id]) for memory_id in defined if memory_id in other.memories
    )
    # The principles of the organisation do not depend on the mind.
    shared = [principle for principle in event.principles if principle not in recorded.memories]
    own = valid_principles(agent.definition, remembered, event.setting)
    kept = context_principles(agent, {memory.memory_id: memory for _, memory in own}, shared)
    items = len(requests(event.query)[:MAX_QUERY_ITEMS])
    chosen = selected(order, agent.rules, top=None, seed=event.seed, apart=kept, items=items).memory_ids
    return ReplayedContext(
        (*kept, *chosen), frozenset(candidate.memory_id for candidate in order if candidate.archived)
    )


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
    found = {candidate.memory_id: _relevant(candidate, other) for candidate in candidates}
    rows = [_features(candidate, found[candidate.memory_id], event, recorded, agent) for candidate in candidates]
    raw = np.array(rows, dtype=np.float64).reshape(-1, len(FEATURES))
    scored = [
        candidate.model_copy(
            update={
                "features": row,
                "score": float(score),
                "archived": other.memories[candidate.memory_id].status == "archived",
                "yields_to": None,
                "yields_as": None,
                "held_until": None,
            }
        )
        for candidate, row, score in zip(candidates, rows, scores(raw, agent.rules, other.scorer), strict=True)
    ]
    return best_first(scored, found, event.perspective, event.query)


def _relevant(candidate: Candidate, mind: Mind) -> RelevantMemory:
    content = mind.contents[candidate.memory_id]
    return RelevantMemory(
        candidate.memory_id,
        RankedContent.of(content),
        mind.memories[candidate.memory_id],
        candidate.similarity,
        candidate.lexical,
        candidate.relevance,
        candidate.features[0],
        word_table().words(indexed_text(content.memory)),
    )


def _features(
    candidate: Candidate, found: RelevantMemory, event: MemoriesRetrieved, recorded: Mind, agent: Agent
) -> tuple[float, ...]:
    memory_id = candidate.memory_id
    if recorded.agent is None or memory_id not in recorded.memories:
        return candidate.features
    occasion = RetrievalContext(event.perspective, frozenset(), event.at)
    was = features(recorded.agent, replace(found, memory=recorded.memories[memory_id]), occasion)
    would = features(agent, found, occasion)
    return tuple(
        logged if here == there else there for logged, here, there in zip(candidate.features, was, would, strict=True)
    )
