"""Retrieval from tiered memory by the query's vector.

The retrieval pattern of the querying module weighs the results.
"""

import time
from datetime import UTC, datetime

from nemuri_contracts.event import derive
from nemuri_contracts.queries import AccessMemories, TiersRecallQuery
from nemuri_contracts.tiered import MemoriesAccessed, MemoryAccess
from nemuri_contracts.tiered_views import TierRecalledView, TiersRecallView
from nemuri_domain.language.relevance import read_text
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.succession import Statement, newer_first, successors
from nemuri_domain.tiered.aggregate import TiersAgent
from nemuri_domain.tiered.policy import Pattern
from nemuri_domain.tiered.retrieval import (
    ScoredMemory,
    current_time,
    is_visible,
    rank,
    restricted_pattern,
    without_shared_experiences,
)
from nemuri_infra.projections.tiered_queries import TIERED, TieredQueries, shared_index
from nemuri_infra.retrieval.self_calibration import calibrated_vectors
from nemuri_infra.runtime.resources import Resources
from nemuri_services.tiered_memory.presenters import memory_view


async def retrieve(query: TiersRecallQuery, agent: TiersAgent, defined: Agent, resources: Resources) -> TiersRecallView:
    """Return the memories that match a query."""
    pattern = restricted_pattern(agent.rules.pattern(query.module), query.layers, query.top)
    found = await _candidates(query, pattern, agent, defined, resources)
    known = await TieredQueries(resources.database).memories(candidate.memory_id for candidate in found)
    seen = {memory_id for memory_id, memory in known.items() if is_visible(memory, query.agent_id)}
    chosen = without_shared_experiences(
        [candidate for candidate in found if candidate.memory_id in seen],
        lambda candidate: known[candidate].origins,
        pattern.top,
    )
    later = successors(
        [
            Statement(
                candidate.memory_id,
                read_text(known[candidate.memory_id].content)[0],
                datetime.fromtimestamp(known[candidate.memory_id].at, UTC),
                max(candidate.relevance, 0.0),
            )
            for candidate in chosen
        ],
        query.query,
    )
    by_id = {candidate.memory_id: candidate for candidate in chosen}
    chosen = [by_id[memory_id] for memory_id in newer_first(list(by_id), later)]
    views = (
        TierRecalledView(
            memory=memory_view(known[scored_memory.memory_id]),
            relevance=scored_memory.relevance,
            recency=scored_memory.recency,
            importance=scored_memory.importance,
            score=scored_memory.score,
            succeeded_by=later[scored_memory.memory_id].memory_id if scored_memory.memory_id in later else None,
        )
        for scored_memory in chosen
    )
    return TiersRecallView(
        module=query.module,
        weights=(pattern.alpha, pattern.beta, pattern.gamma),
        working="working" in pattern.layers,
        recalled=tuple(views),
    )


async def _candidates(
    query: TiersRecallQuery, pattern: Pattern, agent: TiersAgent, defined: Agent, resources: Resources
) -> list[ScoredMemory]:
    """Return the candidates of a retrieval, best first: the agent's own memories, and on request memories shared by
    other agents.
    """
    if not pattern.top:
        return []
    vectors = await calibrated_vectors(resources, defined)
    [asked] = await vectors.comparing.queries([query.query])  # not stored: no event holds the query
    async with resources.indexes.current(TIERED, agent.agent_id, vectors) as own:
        newest = float(own.features["at"].max()) if len(own) else None
        now = current_time(agent, newest, time.time()) if query.second is None else query.second
        found = rank(own, asked, now, pattern, agent.rules)
    if query.shared:
        others = await shared_index(resources.database, agent.agent_id, vectors)
        found += rank(others, asked, now, pattern.model_copy(update={"layers": ("long",)}), agent.rules)
    return sorted(found, key=lambda candidate: (-candidate.score, candidate.memory_id))


def access_events(command: AccessMemories, found: TiersRecallView) -> list[MemoriesAccessed]:
    """Return the event that records the access to the agent's own memories; none if none of these was returned."""
    own = [memory.memory.memory_id for memory in found.recalled if memory.memory.agent_id == command.agent_id]
    if not own:
        return []
    return [
        MemoriesAccessed(
            event_id=derive(f"{command.agent_id}/{command.request}", MemoriesAccessed.kind_of()),
            agent_id=command.agent_id,
            accessed=tuple(MemoryAccess(memory_id=memory_id) for memory_id in own),
            second=command.second,
        )
    ]
