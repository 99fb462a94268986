"""Retrieval of agents' memories with indexes. Each process caches the indexes and updates them from the projections."""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

from nemuri_contracts.client_events import Scope, Setting
from nemuri_contracts.strength import Candidate
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength.aggregate import Agent, Remembered
from nemuri_domain.strength.context_principles import valid_principles
from nemuri_domain.strength.extracted_learning_decision import (
    COMPARED_MEMORIES,
    COMPARED_WORDS,
    is_comparable,
    statements,
)
from nemuri_domain.strength.query_texts import QueryTexts, query_texts
from nemuri_domain.strength.ranking import version
from nemuri_domain.strength.retrieval import (
    RetrievalQuery,
    ranked_for,
    relevant,
    searched,
    with_contents,
)
from nemuri_domain.strength.retrieval_index import AgentIndex
from nemuri_domain.strength.scope_matching import setting_of
from nemuri_domain.strength.search_texts import QueryText
from nemuri_infra.observability.tracing import span
from nemuri_infra.retrieval.index_cache import CachedRetrievalIndex, IndexCache
from nemuri_infra.retrieval.index_refresh import refresh
from nemuri_infra.retrieval.self_calibration import calibrated_vectors
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.stores.vectors import Vectors

_PROCESS = IndexCache()
"""The indexes shared by all services of this process."""


@dataclass(frozen=True, slots=True)
class RankedRetrieval:
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
    nearest: tuple[Remembered, float] | None = None
    """If nothing is relevant: the memory that is nearest to the query, with its relevance."""


@dataclass(slots=True)
class AgentIndexes:
    """The retrieval indexes of this process, one for each agent, vector generation and calibration.

    After each use the least recently used indexes are removed until the others fit in `Settings.index_bytes`. So an
    index that is larger than this limit is read from its stored copy again for each use.
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
    ) -> RankedRetrieval:
        """Return the memories that are relevant to a query and to the `summary` of its task, ranked; none if none is
        relevant.

        No event is recorded. With `deep`, the archived memories are always searched too; without it only if no active
        memory is relevant.
        """
        with span("recall", agent=agent.agent_id):
            wording = query_texts(agent, query, summary)
            vectors = await calibrated_vectors(resources, agent)
            asked = await _asked(vectors, wording, setting)
            scorer = await resources.views.agents.scorer(agent.agent_id)
            async with self._current(resources, agent, vectors) as indexed:
                found, deep = searched(agent, indexed.index, asked, deep=deep)
                held = indexed.principles if agent.definition.held else ()
                missed = [found.nearest] if found.nearest else []
                wanted = {*found.ids, *held, *(memory_id for memory_id, _ in missed)}
                known = await _memories(indexed, resources, wanted)
            ranked = ranked_for(
                agent,
                with_contents(found, known.get),
                asked,
                perspective=perspective,
                now=now or datetime.now(UTC),
                scorer=scorer,
            )
            return RankedRetrieval(
                candidates=ranked,
                known={candidate.memory_id: known[candidate.memory_id] for candidate in ranked},
                terms=tuple(terms(query)),
                expansions=dict(wording.expansions),
                items=len(wording.items),
                ranking=version(agent.rules, scorer),
                deep=deep,
                nearest=next(((known[each], value) for each, value in missed if each in known), None),
                principles=valid_principles(
                    agent.definition, [known[principle] for principle in held if principle in known], setting
                ),
            )

    async def near(
        self, resources: Resources, agent: Agent, text: str, scope: Scope, *, least: float | None = None
    ) -> tuple[Remembered, ...]:
        """Return the active memories that are similar enough to `text` to be compared with it, most relevant first.

        `least` is the minimum of the similarity and of the share of words (`is_comparable`); None means that of the
        embedder for texts about the same, and half of the words. At most `COMPARED_MEMORIES` are returned, all of
        exactly the scope `scope`. Their strength has no influence.
        """
        vectors = await calibrated_vectors(resources, agent)
        rows, scale = await vectors.of([text]), vectors.comparing.calibration.scale
        asked = RetrievalQuery.of(QueryTexts(text, (QueryText(text),)), rows, setting_of(scope), scale)
        same, words = (vectors.thresholds.same, COMPARED_WORDS) if least is None else (least, least)
        wanted = terms(text)
        async with self._current(resources, agent, vectors) as indexed:
            found = relevant(agent, indexed.index, asked)
            known = await _memories(indexed, resources, found.ids)
        close = [
            (memory.content, memory.memory)
            for memory in with_contents(found, known.get)
            if memory.content.memory.scope == scope
            and any(
                is_comparable(memory.similarity, wanted, terms(text), same=same, least=words)
                for text in statements(memory.content).values()
            )
        ]
        return tuple(close[:COMPARED_MEMORIES])

    @asynccontextmanager
    async def _current(
        self, resources: Resources, agent: Agent, vectors: Vectors
    ) -> AsyncIterator[CachedRetrievalIndex]:
        """Update the index of an agent from the projections and yield it. It is locked during the context."""
        name = (resources.views.space, agent.agent_id, vectors.comparing.space)
        empty = AgentIndex(vectors.embedder.dimension)
        indexed = self.indexes.get_or_create(
            name, lambda: CachedRetrievalIndex(empty, vectors.generation, vectors.comparing.calibration.digest)
        )
        try:
            async with indexed.lock:
                async with nullcontext() if len(indexed.index) else self.indexes.loading:
                    await refresh(indexed, resources, agent, vectors)
                yield indexed
        finally:
            self.indexes.evict_to(resources.settings.index_bytes)


async def _memories(
    indexed: CachedRetrievalIndex, resources: Resources, memory_ids: Collection[UUID]
) -> Mapping[UUID, Remembered]:
    """Return these memories, by id, without those that were erased since the last update of the index.

    Memories that were not needed before are read from the projections.
    """
    missing = [memory_id for memory_id in memory_ids if memory_id not in indexed.known]
    if missing:
        indexed.keep((await resources.views.memories_by_id(missing)).values())
    return {memory_id: indexed.known[memory_id] for memory_id in memory_ids if memory_id in indexed.known}


async def _asked(vectors: Vectors, wording: QueryTexts, setting: Setting) -> RetrievalQuery:
    rows = await vectors.of_queries([each.text for each in wording.every])
    return RetrievalQuery.of(wording, rows, setting, vectors.comparing.calibration.scale)
