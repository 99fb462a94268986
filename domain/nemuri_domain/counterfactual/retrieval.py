"""Which of the logged candidates of a retrieval a mind would have put into the context."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from nemuri_contracts.strength import FEATURES, Candidate, MemoriesRetrieved
from nemuri_domain.language.request_items import requests
from nemuri_domain.strength.aggregate import Agent, Memory, Mind
from nemuri_domain.strength.ranking import (
    Found,
    Occasion,
    always_in_mind,
    best_first,
    features,
    holding,
    scores,
    selected,
)
from nemuri_domain.strength.retrieval import LISTED


@dataclass(frozen=True, slots=True)
class Context:
    """What would have come to mind."""

    in_context: tuple[UUID, ...]
    """Principles first, then what is relevant, best first."""
    archived: frozenset[UUID]
    """Candidates that it would have found in its archive."""


def reranked(event: MemoriesRetrieved, recorded: Mind, other: Mind, defined: Collection[UUID]) -> Context:
    """The context that the other mind makes of the candidates that the recorded one found.

    Both are the minds as they were before the retrieval; `defined` are the memories out of definitions. A
    feature is as logged, unless the two minds differ in what it is made of. With the recorded mind itself it is what
    was recorded, as far as the views knew at that time what the log says now.
    """
    agent = other.agent
    if agent is None:
        return Context((), frozenset())
    known = [each for each in event.candidates if each.memory_id in other.memories]
    found = _found(known, event, other)[: agent.rules.candidate_limit]
    order = _ordered(found, event, recorded, other)
    remembered = ((other.contents[each], other.memories[each]) for each in defined if each in other.memories)
    kept = always_in_mind(agent, holding(agent.definition, remembered, event.setting))
    items = len(requests(event.query)[:LISTED])
    chosen = selected(order, agent.rules, top=None, seed=event.seed, apart=kept, items=items).memory_ids
    return Context((*kept, *chosen), frozenset(each.memory_id for each in order if each.archived))


def _found(candidates: Collection[Candidate], event: MemoriesRetrieved, mind: Mind) -> list[Candidate]:
    """Those that stage 1 would have found, most relevant first: what is active, else or on demand the archive too."""
    active = [each for each in candidates if mind.memories[each.memory_id].status == "active"]
    # Where nothing but the archive was found, it was asked because there was nothing active.
    on_demand = event.deep and not all(each.archived for each in candidates)
    return sorted(active if active and not on_demand else candidates, key=lambda each: -each.relevance)


def _ordered(
    candidates: Collection[Candidate], event: MemoriesRetrieved, recorded: Mind, other: Mind
) -> tuple[Candidate, ...]:
    agent = other.agent
    if agent is None or not candidates:
        return ()
    rows = [_features(each, event, recorded, other) for each in candidates]
    raw = np.array(rows, dtype=np.float64).reshape(-1, len(FEATURES))
    scored = [
        each.model_copy(
            update={
                "features": row,
                "score": float(score),
                "archived": other.memories[each.memory_id].status == "archived",
                "yields_to": None,
            }
        )
        for each, row, score in zip(candidates, rows, scores(raw, agent.rules, other.scorer), strict=True)
    ]
    return best_first(scored, {each.memory_id: other.memories[each.memory_id] for each in candidates})


def _features(candidate: Candidate, event: MemoriesRetrieved, recorded: Mind, other: Mind) -> tuple[float, ...]:
    memory_id = candidate.memory_id
    before, agent = recorded.agent, other.agent
    if before is None or agent is None or memory_id not in recorded.memories:
        return candidate.features

    def of(whose: Agent, memory: Memory) -> tuple[float, ...]:
        found = Found(other.contents[memory_id], memory, candidate.similarity, candidate.lexical, candidate.relevance)
        return features(whose, found, Occasion(event.perspective, frozenset(), event.at))

    was, would = of(before, recorded.memories[memory_id]), of(agent, other.memories[memory_id])
    return tuple(
        logged if here == there else there for logged, here, there in zip(candidate.features, was, would, strict=True)
    )
