"""What comes to an agent's mind: the indexes of agents in this process, kept up from the views."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

import numpy as np
from sqlalchemy import and_

from nemuri.contracts.clients import Setting
from nemuri.contracts.memories import Candidate
from nemuri.domain.language.keywords import occurring
from nemuri.domain.language.terms import terms
from nemuri.domain.memory.content import indexed_text
from nemuri.domain.memory.index import AgentIndex, Candidates
from nemuri.domain.memory.mind import PRINCIPLE, Agent, Content, Memory
from nemuri.domain.memory.ranking import VERSIONS, Found, Occasion, ranked
from nemuri.infra.resources import Resources
from nemuri.infra.views import tables
from nemuri.infra.views.queries import Change

REMEMBERED_AGENTS = 32
"""Indexes kept in one process; the least recently used one is dropped and read again when it is needed."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """What came to mind: candidates best first, and all that went into finding them."""

    candidates: tuple[Candidate, ...]
    known: dict[UUID, tuple[Content, Memory]]
    terms: tuple[str, ...]
    expansions: dict[str, str]
    ranking: str
    deep: bool


@dataclass(slots=True)
class _Indexed:
    index: AgentIndex
    model: str
    tags: frozenset[str] = frozenset()
    until: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(slots=True)
class Recollections:
    """The indexes of this process."""

    indexes: OrderedDict[str, _Indexed] = field(default_factory=OrderedDict)

    async def recall(
        self,
        resources: Resources,
        agent: Agent,
        query: str,
        *,
        perspective: str | None,
        setting: Setting,
        now: datetime | None = None,
    ) -> Recollection:
        """The memories relevant to a query, ranked; from the archive when nothing active is relevant."""
        expansions = _expansions(agent, query)
        texts = (query, *expansions.values())
        vectors = await resources.vectors.of(texts)
        words = [terms(text) for text in texts]
        indexed = self._indexed(agent)
        async with indexed.lock:
            await _refresh(indexed, resources, agent)
            found = _search(indexed, agent, resources, vectors, words, setting, active=True)
            deep = not found.ids
            if deep:
                found = _search(indexed, agent, resources, vectors, words, setting, active=False)
        known = await resources.views.memories_by_id(found.ids)
        occasion = Occasion(perspective, frozenset(occurring(indexed.tags, query)), now or datetime.now(UTC))
        candidates = ranked(agent, _joined(found, known), occasion)
        return Recollection(
            candidates, known, tuple(words[0]), expansions, VERSIONS[agent.rules.ranking], deep and bool(candidates)
        )

    def _indexed(self, agent: Agent) -> _Indexed:
        known = self.indexes.get(agent.agent_id)
        if known is None or known.model != agent.embedding.model:
            known = _Indexed(AgentIndex(agent.embedding.dimension), agent.embedding.model)
        self.indexes[agent.agent_id] = known
        self.indexes.move_to_end(agent.agent_id)
        while len(self.indexes) > REMEMBERED_AGENTS:
            self.indexes.popitem(last=False)
        return known


async def principles(resources: Resources, agent: Agent) -> list[tuple[Content, Memory]]:
    """What the agent always keeps in mind, strongest first."""
    state, content = tables.memory_state, tables.memory
    found = await resources.views.memories(
        and_(state.c.agent_id == agent.agent_id, state.c.status == "active"),
        content.c.memory["tags"].contains([PRINCIPLE]),
    )
    return sorted(found, key=lambda each: (-agent.strength(each[1]), str(each[0].memory_id)))


def _expansions(agent: Agent, query: str) -> dict[str, str]:
    """The query widened by each perspective's keywords (document 000 §3.4, document 003 §4.7)."""
    if not agent.rules.enable_query_expansion:
        return {}
    return {each.name: f"{query} {' '.join(each.keywords)}" for each in agent.definition.perspectives if each.keywords}


async def _refresh(indexed: _Indexed, resources: Resources, agent: Agent) -> None:
    """Take in what changed since the index was last used."""
    changes = await resources.views.changes(agent, indexed.until)
    _index(indexed, [each for each in changes if each.memory.memory_id not in indexed.index])
    for active in (True, False):
        flipped = [each.memory.memory_id for each in changes if (each.memory.status == "active") == active]
        indexed.index.set_active(flipped, active)
    indexed.until = max((each.memory.changed for each in changes), default=indexed.until)


def _index(indexed: _Indexed, fresh: Sequence[Change]) -> None:
    empty = np.zeros(indexed.index.dimension, dtype=np.float32)
    if not fresh:
        return
    indexed.index.add(
        [each.memory.memory_id for each in fresh],
        np.stack([empty if each.vector is None else each.vector for each in fresh]),
        [indexed_text(each.content.memory) for each in fresh],
        scopes=[each.content.memory.scope for each in fresh],
    )
    indexed.tags |= {tag for each in fresh for tag in each.content.memory.tags}


def _search(
    indexed: _Indexed,
    agent: Agent,
    resources: Resources,
    vectors: np.ndarray[tuple[int, int], np.dtype[np.float32]],
    words: Sequence[Sequence[str]],
    setting: Setting,
    *,
    active: bool,
) -> Candidates:
    return indexed.index.search(
        vectors,
        words,
        vector_threshold=resources.vectors.embedder.relevance_threshold,
        mask=indexed.index.eligible(setting, active=active),
        limit=agent.rules.candidate_limit,
    )


def _joined(found: Candidates, known: dict[UUID, tuple[Content, Memory]]) -> list[Found]:
    rows = zip(found.ids, found.similarity, found.lexical, found.relevance, strict=True)
    return [
        Found(*known[memory_id], float(similarity), float(lexical), float(relevance))
        for memory_id, similarity, lexical, relevance in rows
        if memory_id in known
    ]
