"""Queries of a retrieval from affective memory, answered from folded memories instead of the database."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.affective import LinkSort
from nemuri_domain.affective.aggregate import ARCHIVED, AffectAgent, AffectMemory, AffectMind, Mood
from nemuri_domain.affective.retrieval import AffectCandidate
from nemuri_domain.affective.text_compression import topic_text
from nemuri_infra.embeddings.unit_rows import normalised
from nemuri_infra.projections.affective_queries import MAX_RANKED, AffectiveQueries, AffectiveRetrieval
from nemuri_infra.projections.prompt_vectors import PromptVectors, shrunk
from nemuri_infra.stores.vectors import Vectors


@dataclass
class FoldedMemories:
    """An agent with its memories, and their vectors."""

    mind: AffectMind = field(default_factory=AffectMind)
    rows: dict[UUID, NDArray[np.float32]] = field(default_factory=dict)
    """Vector of the present text of each memory, shape (dimension,)."""


class FoldedQueries(AffectiveQueries):
    """The queries of a retrieval, answered from folded memories. Each prompt is the first of its session, so no session
    has a mood.
    """

    state: FoldedMemories

    def __init__(self, state: FoldedMemories) -> None:
        """Answer from these memories, as they are at each query."""
        object.__setattr__(self, "state", state)

    async def memories(self, memory_ids: Iterable[UUID]) -> dict[UUID, AffectMemory]:
        """Return the memories with these ids, by id."""
        return {each.memory_id: each for each in self.state.mind.find(memory_ids)}

    async def words(self, memory_ids: Iterable[UUID]) -> dict[UUID, str]:
        """Return the present text of the memories with these ids, by id."""
        some = self.state.mind.find(memory_ids)
        return {each.memory_id: topic_text(each.trigger, each.content, each.keywords) for each in some}

    async def mood(self, agent_id: str, session: str) -> Mood | None:  # noqa: ARG002 - no session has a mood
        """Return None."""
        return None

    async def related(
        self,
        agent_id: str,  # noqa: ARG002 - there is one agent
        memory_ids: Collection[UUID],
    ) -> dict[UUID, list[tuple[AffectMemory, LinkSort]]]:
        """Return the memories related to each memory in `memory_ids` in either direction, by id."""
        known = self.state.mind.memories
        found: dict[UUID, list[tuple[AffectMemory, LinkSort]]] = {each: [] for each in memory_ids}
        for memory in sorted(known.values(), key=lambda each: each.memory_id):
            for link in memory.relations:
                for here, there in ((memory.memory_id, link.to), (link.to, memory.memory_id)):
                    if here in found and there in known:
                        found[here].append((known[there], link.sort))
        return found

    async def candidates_by_vector(
        self,
        agent: AffectAgent,
        vectors: Vectors,
        asked: PromptVectors,
        wanted: AffectiveRetrieval,
    ) -> list[AffectCandidate]:
        """Return the candidates of a retrieval: the best by priority, and archived ones by similarity."""
        every = [each for each in self.state.mind.memories.values() if _is_wanted(each, wanted)]
        if not every:
            return []
        rows = vectors.centred(np.stack([self.state.rows[each.memory_id] for each in every]))
        weights = np.array(asked.weights, np.float32)[:, None]
        cosines, contrasts = (weights * (asked.rows @ rows.T)).max(axis=0), None
        if asked.common is not None:
            contrasts = (weights * (asked.apart @ normalised(rows - asked.common).T)).max(axis=0)
        some = [
            _candidate(each, agent, float(cosine), None if contrasts is None else float(contrasts[at]))
            for at, (each, cosine) in enumerate(zip(every, cosines, strict=True))
            if wanted.fill or cosine >= (wanted.revival if each.archived else wanted.relevance)
        ]
        weight = agent.rules.recall.recall_count_weight
        held = agent.rules.retrieval.counted_retention
        base = [held(each.retention) * max(0.0, each.similarity) * (1 + weight * each.recall_count) for each in some]
        bound = sorted(base, reverse=True)[wanted.top - 1] if len(base) >= wanted.top else 0.0
        best = [each for each, value in zip(some, base, strict=True) if value >= bound and value > 0][:MAX_RANKED]
        active, gone = [each for each in some if not each.archived], [each for each in some if each.archived]
        best += sorted(gone, key=lambda each: -each.similarity)[: wanted.top]
        best += sorted(active, key=lambda each: each.said_at, reverse=True)[: wanted.top if wanted.newest else 0]
        if not wanted.newest:
            best += sorted(active, key=lambda each: -each.similarity)[: wanted.top]
            best += sorted(some, key=lambda each: -(each.contrast or 0.0))[: wanted.top if contrasts is not None else 0]
        return list({each.memory_id: each for each in best}.values())

    async def common_vector(self, agent: AffectAgent, vectors: Vectors) -> NDArray[np.float32] | None:  # noqa: ARG002
        """Return what the vectors of all memories have in common, shape (dimension,)."""
        if vectors.comparing.calibration.centre is not None or not self.state.rows:
            return None
        return shrunk(np.mean([*self.state.rows.values()], axis=0), len(self.state.rows))


def _is_wanted(memory: AffectMemory, wanted: AffectiveRetrieval) -> bool:
    there = memory.level < ARCHIVED or (memory.level == ARCHIVED and wanted.archive)
    return there and memory.turn_id not in wanted.without and wanted.category in {None, memory.category}


def _candidate(memory: AffectMemory, agent: AffectAgent, similarity: float, contrast: float | None) -> AffectCandidate:
    return AffectCandidate(
        memory.memory_id,
        memory.archived,
        memory.said_at,
        memory.category,
        memory.retention(agent.nights),
        memory.recall_count,
        similarity,
        memory.valence,
        memory.arousal,
        memory.tags,
        contrast=contrast,
    )
