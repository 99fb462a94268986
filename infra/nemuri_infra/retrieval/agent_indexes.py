"""Retrieval of agents' memories with indexes. Each process caches the indexes and updates them from the projections."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID
from weakref import WeakKeyDictionary

from nemuri_contracts.client_events import Scope, Setting
from nemuri_contracts.strength import Candidate
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength.aggregate import Agent, RankedState, Remembered
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
    to_rank,
)
from nemuri_domain.strength.retrieval_index import AgentIndex
from nemuri_domain.strength.scope_matching import setting_of, valid
from nemuri_domain.strength.search_texts import QueryText
from nemuri_infra.observability.tracing import span
from nemuri_infra.process.byte_cache import ByteCache
from nemuri_infra.retrieval.index_refresh import CachedRetrievalIndex, refresh
from nemuri_infra.retrieval.self_calibration import calibrated_vectors
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.stores.vectors import Vectors

IndexKey = tuple[str, str, str]
"""Projections, agent, and what its vectors can be compared with: generation and calibration."""


def index_cache(limit: int = 0) -> "ByteCache[IndexKey, CachedRetrievalIndex]":
    """Return an empty cache of indexes that together have at most `limit` bytes."""
    return ByteCache(limit, lambda _, indexed: indexed.index.nbytes)


_PROCESS = index_cache()
"""The indexes shared by all services of this process."""


@dataclass(frozen=True, slots=True)
class RankedRetrieval:
    """The result of a retrieval: the ranked candidates, best first, and all inputs of the ranking, without contents."""

    candidates: tuple[Candidate, ...]
    terms: tuple[str, ...]
    expansions: dict[str, str]
    items: int
    """Number of separate requests that the query contains."""
    ranking: str
    deep: bool
    """True if the archived memories were searched too."""
    principles: Mapping[UUID, RankedState]
    """Active principles of the agent that are valid in the setting, by id, whether relevant to the query or not."""
    nearest: tuple[UUID, float] | None = None
    """If nothing is relevant: the memory that is nearest to the query, with its relevance."""


@dataclass(slots=True)
class AgentIndexes:
    """The retrieval indexes of this process, one for each agent, vector generation and calibration.

    After each use the least recently used indexes are removed until the others fit in `Settings.index_bytes`. So an
    index that is larger than this limit is read from its stored copy again for each use.
    """

    indexes: ByteCache[IndexKey, CachedRetrievalIndex] = field(default_factory=lambda: _PROCESS)
    _loading: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = field(default_factory=WeakKeyDictionary)
    """A lock for each event loop. Agents are loaded one at a time, because the size of an index is not known before."""

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
                principles = _principles(agent, indexed, setting)
                to_order = to_rank(found, indexed.index)
            ranked = ranked_for(
                agent,
                to_order,
                asked,
                perspective=perspective,
                now=now or datetime.now(UTC),
                scorer=scorer,
            )
            return RankedRetrieval(
                candidates=ranked,
                terms=tuple(terms(query)),
                expansions=dict(wording.expansions),
                items=len(wording.items),
                ranking=version(agent.rules, scorer),
                deep=deep,
                nearest=found.nearest,
                principles=principles,
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
        known = await resources.views.memories_by_id(found.ids)
        close = [
            known[memory_id]
            for memory_id, similarity in zip(found.ids, found.similarity.tolist(), strict=True)
            if memory_id in known
            and known[memory_id][0].memory.scope == scope
            and any(
                is_comparable(similarity, wanted, terms(text), same=same, least=words)
                for text in statements(known[memory_id][0]).values()
            )
        ]
        return tuple(close[:COMPARED_MEMORIES])

    @asynccontextmanager
    async def _current(
        self, resources: Resources, agent: Agent, vectors: Vectors
    ) -> AsyncIterator[CachedRetrievalIndex]:
        """Update the index of an agent from the projections and yield it. It is locked during the context."""
        name = (resources.views.space, agent.agent_id, vectors.comparing.space)
        indexed = self.indexes.get(name)
        if indexed is None:
            calibration = vectors.comparing.calibration.digest
            empty = AgentIndex(vectors.embedder.dimension)
            indexed = CachedRetrievalIndex(empty, vectors.generation, calibration)
        self.indexes.limit = resources.settings.index_bytes
        self.indexes.keep(name, indexed)
        async with indexed.lock:
            async with nullcontext() if len(indexed.index) else self._loading_here:
                await refresh(indexed, resources, agent, vectors)
            self.indexes.keep(name, indexed)
            yield indexed

    @property
    def _loading_here(self) -> asyncio.Lock:
        return self._loading.setdefault(asyncio.get_running_loop(), asyncio.Lock())


def _principles(agent: Agent, indexed: CachedRetrievalIndex, setting: Setting) -> dict[UUID, RankedState]:
    """Return the active principles of the agent's definition that are valid in the setting, by id."""
    held = agent.definition.held
    known = {memory_id: indexed.index.ranked(memory_id) for memory_id in (indexed.principles if held else ())}
    return {
        memory_id: state
        for memory_id, (content, state) in known.items()
        if state.status == "active"
        and (told := content.principle) is not None
        and told in held
        and valid(told[1], setting)
    }


async def _asked(vectors: Vectors, wording: QueryTexts, setting: Setting) -> RetrievalQuery:
    rows = await vectors.of_queries([query_text.text for query_text in wording.every])
    return RetrievalQuery.of(wording, rows, setting, vectors.comparing.calibration.scale)
