"""Retrieval of agents' memories with indexes. Each process caches the indexes and updates them from the projections."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.client_events import Scope, Setting
from nemuri_contracts.strength import Candidate
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength.aggregate import Agent, Remembered
from nemuri_domain.strength.extracted_learning_decision import COMPARED_MEMORIES, is_comparable
from nemuri_domain.strength.memory_content import embedded_text, indexed_text
from nemuri_domain.strength.ranking import valid_principles, version
from nemuri_domain.strength.retrieval import QueryTexts, RetrievalQuery, query_texts, relevant, retrieved
from nemuri_domain.strength.retrieval_index import AgentIndex
from nemuri_domain.strength.scope_matching import setting_of
from nemuri_infra.observability.tracing import span
from nemuri_infra.projections.erasure import everything_erased
from nemuri_infra.projections.progress import projected_up_to
from nemuri_infra.projections.strength_queries import MemoryChange, changes
from nemuri_infra.retrieval.index_cache import CachedIndex, IndexCache
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.stores.vectors import Vectors

_PROCESS = IndexCache()
"""The indexes shared by all services of this process."""
THREAD_THRESHOLD = 64
"""Number of new memories above which they are indexed in a thread, so that the event loop stays free.

The index stays locked meanwhile.
"""


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """The result of a retrieval: the ranked candidates, best first, and all inputs of the ranking."""

    candidates: tuple[Candidate, ...]
    known: dict[UUID, Remembered]
    terms: tuple[str, ...]
    expansions: dict[str, str]
    items: int
    """Number of separate requests that the query contains."""
    ranking: str
    deep: bool
    """True if the archived memories were searched too."""
    principles: tuple[Remembered, ...]
    """Active principles of the agent that are valid in the setting, whether relevant to the query or not."""


@dataclass(slots=True)
class AgentIndexes:
    """The retrieval indexes of this process, one for each agent and vector generation.

    After each use the least recently used indexes are removed until the others fit in `Settings.index_bytes`. So an
    index that is larger than this limit is read from the projections again for each use.
    """

    indexes: IndexCache = field(default_factory=lambda: _PROCESS)

    async def recall(
        self,
        resources: Resources,
        agent: Agent,
        query: str,
        *,
        perspective: str | None,
        setting: Setting,
        deep: bool = False,
        now: datetime | None = None,
        summary: str | None = None,
    ) -> RetrievalResult:
        """Return the memories that are relevant to a query and to the `summary` of its task, ranked; none if none is
        relevant.

        No event is recorded. With `deep`, the archived memories are always searched too; without it only if no active
        memory is relevant.
        """
        with span("recall", agent=agent.agent_id):
            wording = query_texts(agent, query, summary)
            vectors = resources.vectors.with_embedder_of(agent.embedding)
            asked = await _asked(vectors, wording, setting)
            scorer = await resources.views.agents.scorer(agent.agent_id)
            async with self._current(resources, agent, vectors) as indexed:
                mind = (agent, indexed.index, indexed.known.__getitem__)
                moment = now or datetime.now(UTC)
                found = retrieved(*mind, asked, perspective=perspective, now=moment, scorer=scorer, deep=deep)
                known = {each.memory_id: indexed.known[each.memory_id] for each in found.candidates}
                defined = [indexed.known[each] for each in indexed.principles]
                principles = valid_principles(agent.definition, defined, setting)
            return RetrievalResult(
                candidates=found.candidates,
                known=known,
                terms=tuple(terms(query)),
                expansions=dict(wording.expansions),
                items=len(wording.items),
                ranking=version(agent.rules, scorer),
                deep=found.deep,
                principles=principles,
            )

    async def near(self, resources: Resources, agent: Agent, text: str, scope: Scope) -> tuple[Remembered, ...]:
        """Return the active memories that are similar enough to `text` to be compared with it, most relevant first.

        At most `COMPARED_MEMORIES` are returned, all of exactly the scope `scope`. Their strength has no influence.
        """
        vectors = resources.vectors.with_embedder_of(agent.embedding)
        asked = await _asked(vectors, QueryTexts(text), setting_of(scope))
        wanted = terms(text)
        async with self._current(resources, agent, vectors) as indexed:
            found = relevant(agent, indexed.index, indexed.known.__getitem__, asked)
        close = [
            (each.content, each.memory)
            for each in found
            if each.content.memory.scope == scope
            and is_comparable(each.similarity, wanted, terms(each.content.memory.content))
        ]
        return tuple(close[:COMPARED_MEMORIES])

    @asynccontextmanager
    async def _current(self, resources: Resources, agent: Agent, vectors: Vectors) -> AsyncIterator[CachedIndex]:
        """Update the index of an agent from the projections and yield it. It is locked during the context."""
        views, dimension = resources.database, vectors.embedder.dimension
        name = (views.url, views.schema, agent.agent_id, vectors.generation)
        indexed = self.indexes.get_or_create(name, lambda: CachedIndex(AgentIndex(dimension), vectors.generation))
        try:
            async with indexed.lock:
                async with nullcontext() if indexed.known else self.indexes.loading:
                    await _refresh(indexed, resources, agent, vectors)
                yield indexed
        finally:
            self.indexes.evict_to(resources.settings.index_bytes)


async def _asked(vectors: Vectors, wording: QueryTexts, setting: Setting) -> RetrievalQuery:
    return RetrievalQuery(wording, await vectors.of(wording.texts), vectors.embedder.relevance_threshold, setting)


async def _refresh(indexed: CachedIndex, resources: Resources, agent: Agent, vectors: Vectors) -> None:
    """Add to the index the memories that changed in the projections since its last update.

    If a memory in the index was erased, the whole index is read again.
    """
    views = resources.views
    needed = await views.agents.change_to_see(agent.agent_id, indexed.seen)
    if needed is None:
        return
    with projected_up_to(needed):
        await views.progress.wait_until_needed()
        here = views.progress.sequence
        await _read_changes(indexed, resources, agent, vectors)
    indexed.seen = here


async def _read_changes(indexed: CachedIndex, resources: Resources, agent: Agent, vectors: Vectors) -> None:
    if indexed.known and resources.views.recent.began > indexed.seen:  # only then anything may have been erased
        erased = await everything_erased(resources.database, after=indexed.seen)
        if not erased.ids.isdisjoint(indexed.known):
            indexed.clear()
    changed = await changes(
        resources.database, agent.agent_id, indexed.until, generation=indexed.generation, known=indexed.known
    )
    await _index(indexed, [each for each in changed if each.memory.memory_id not in indexed.index], vectors)
    for active in (True, False):
        flipped = [each.memory.memory_id for each in changed if (each.memory.status == "active") == active]
        indexed.index.set_active(flipped, active)
    indexed.update({each.memory.memory_id: (each.content, each.memory) for each in changed})
    indexed.principles |= {each.memory.memory_id for each in changed if each.content.source == "definition"}
    indexed.until = max((each.memory.changed for each in changed), default=indexed.until)


async def _index(indexed: CachedIndex, fresh: Sequence[MemoryChange], vectors: Vectors) -> None:
    if not fresh:
        return
    # A memory that was encoded with another embedding model gets a vector of the present model here.
    missing = [each.content for each in fresh if each.vector is None]
    made = await vectors.of([embedded_text(each.memory) for each in missing])
    own = {each.memory_id: row for each, row in zip(missing, made, strict=True)}
    rows = [own[each.memory.memory_id] if each.vector is None else each.vector for each in fresh]
    if len(fresh) > THREAD_THRESHOLD:
        await asyncio.to_thread(_add, indexed, fresh, rows)
    else:
        _add(indexed, fresh, rows)


def _add(indexed: CachedIndex, fresh: Sequence[MemoryChange], rows: Sequence[NDArray[np.float32]]) -> None:
    indexed.index.add(
        [each.memory.memory_id for each in fresh],
        np.stack(rows),
        [indexed_text(each.content.memory) for each in fresh],
        scopes=[each.content.memory.scope for each in fresh],
        sources=[each.content.origin.source for each in fresh],
    )
