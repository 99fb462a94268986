"""Queries of a retrieval from affective memory, answered from folded memories instead of the database."""

from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.affective import LinkSort
from nemuri_domain.affective.aggregate import AffectMemory, AffectMind, Mood
from nemuri_domain.affective.candidate_selection import COLUMNS, NAMES, columns
from nemuri_domain.affective.text_compression import topic_text
from nemuri_domain.retrieval.memory_index import MemoryIndex
from nemuri_infra.projections.affective_queries import AFFECTIVE, AffectiveQueries
from nemuri_infra.projections.indexed_tables import IndexedTable
from nemuri_infra.projections.memory_indexes import MemoryIndexes
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
        return {
            affect_memory.memory_id: topic_text(affect_memory.trigger, affect_memory.content, affect_memory.keywords)
            for affect_memory in some
        }

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
        found: dict[UUID, list[tuple[AffectMemory, LinkSort]]] = {memory_id: [] for memory_id in memory_ids}
        for memory in sorted(known.values(), key=lambda each: each.memory_id):
            for link in memory.relations:
                for here, there in ((memory.memory_id, link.to), (link.to, memory.memory_id)):
                    if here in found and there in known:
                        found[here].append((known[there], link.sort))
        return found


class FoldedIndexes(MemoryIndexes):
    """The index of folded memories, as they are at each use."""

    def __init__(self, state: FoldedMemories) -> None:
        """Index these memories."""
        self.state = state
        self._indexed: tuple[AffectMind | None, MemoryIndex] = (None, MemoryIndex(0, COLUMNS, NAMES))

    @asynccontextmanager
    async def current(
        self,
        table: IndexedTable[Any],  # noqa: ARG002 - there is one table
        agent_id: str,  # noqa: ARG002 - there is one agent
        vectors: Vectors,
        person: str = "",  # noqa: ARG002 - and nobody else
    ) -> AsyncIterator[Any]:
        """Yield the index of the folded memories."""
        if self.state.mind is not self._indexed[0]:
            index, memories = AFFECTIVE.create(vectors.embedder.dimension), list(self.state.mind.memories.values())
            if memories:
                index.put(
                    [memory.memory_id for memory in memories],
                    columns(memories),
                    vectors.centred(np.stack([self.state.rows[memory.memory_id] for memory in memories])),
                )
            self._indexed = (self.state.mind, index)
        yield self._indexed[1]
