"""Updates of retrieval indexes from the projections and from their stored copies."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.strength.aggregate import PRINCIPLE_SOURCES, Agent
from nemuri_domain.strength.memory_content import embedded_text, indexed_text
from nemuri_domain.strength.ranked_memory import RankedContent
from nemuri_domain.strength.retrieval_index import AgentIndex
from nemuri_infra.projections.stored_indexes import StoredIndex
from nemuri_infra.projections.strength_queries import IndexedMemory
from nemuri_infra.retrieval.index_encoding import FORMAT, decode, encode
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.stores.vectors import Vectors

THREAD_THRESHOLD = 64
"""Number of new memories above which they are indexed in a thread, so that the event loop stays free.

The index stays locked meanwhile.
"""
LEAST_STORED = 500
"""Minimum number of changes for which a new copy of an index is stored. Reading as many takes about 25 ms."""
STORED_SHARE = 8
"""A new copy is stored when there is more than one change for this number of memories, but at least `LEAST_STORED`."""


@dataclass(slots=True)
class CachedRetrievalIndex:
    """The retrieval index of one agent, as of the last update from the projections."""

    index: AgentIndex
    generation: str
    calibration: str
    """Digest of the calibration by which the vectors in the index are centred."""
    principles: set[UUID] = field(default_factory=set)
    """Ids of the memories that come from a definition of the agent.

    They include archived memories and memories from earlier definitions.
    """
    until: int = 0
    """Log sequence of the newest change of a memory in the index."""
    seen: int = -1
    """Log sequence that the projections had reached at the last update; -1 before the first update."""
    unstored: int = 0
    """Number of changes in the index that its stored copy does not contain."""
    tables: int = 0
    """Number of the tables that the index was made from; see `StoredIndex`."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def clear(self) -> None:
        """Empty the index, so that no erased data stays in it. The next update reads all memories again."""
        self.index, self.principles = AgentIndex(self.index.dimension), set()
        self.until = self.unstored = 0


async def refresh(indexed: CachedRetrievalIndex, resources: Resources, agent: Agent, vectors: Vectors) -> None:
    """Add to the index the memories that changed in the projections since its last update.

    An empty index begins with its stored copy. If a memory in the index was erased, the whole index is read again.
    After many changes a new copy is stored.
    """
    progress = resources.views.progress
    here = await progress.current_sequence()
    if not progress.changes.changed(agent.agent_id, indexed.seen):
        return
    await _drop_erased(indexed, resources)
    if not len(indexed.index):
        await _read_copy(indexed, resources, agent)
    await _read_changes(indexed, resources, agent, vectors)
    if indexed.unstored > max(LEAST_STORED, len(indexed.index) // STORED_SHARE):
        await _store_copy(indexed, resources, agent, here)
    indexed.seen = here


async def _drop_erased(indexed: CachedRetrievalIndex, resources: Resources) -> None:
    changes = resources.views.progress.changes
    if len(indexed.index) and changes.excluded > indexed.seen:  # only then anything may have been erased
        erased = await resources.views.everything_erased(after=indexed.seen)
        if any(memory_id in indexed.index for memory_id in erased.ids):
            indexed.clear()


async def _read_copy(indexed: CachedRetrievalIndex, resources: Resources, agent: Agent) -> None:
    copy = await resources.views.stored_index(agent.agent_id, indexed.generation, format_version=FORMAT)
    indexed.tables = copy.tables
    if not copy.data:
        return
    try:
        if (found := decode(copy.data, indexed.index.dimension, indexed.calibration)) is not None:
            indexed.index, indexed.principles = found
            indexed.until = copy.until
    except (ValueError, KeyError, TypeError):
        logging.getLogger(__name__).warning("the stored index of %s is damaged and is made again", agent.agent_id)


async def _store_copy(indexed: CachedRetrievalIndex, resources: Resources, agent: Agent, here: int) -> None:
    copy = StoredIndex(indexed.tables, indexed.until, encode(indexed.index, indexed.principles, indexed.calibration))
    name = (agent.agent_id, indexed.generation)
    await resources.views.store_index(*name, copy, seen=here, format_version=FORMAT)
    indexed.unstored = 0


async def _read_changes(indexed: CachedRetrievalIndex, resources: Resources, agent: Agent, vectors: Vectors) -> None:
    changed = await resources.views.memory_changes(agent.agent_id, indexed.until)
    now = {state.memory_id: state for state in changed}
    indexed.index.remove([state.memory_id for state in changed if state.rescoped > indexed.until])
    fresh = [memory_id for memory_id in now if memory_id not in indexed.index]
    async for some in resources.views.indexed_memories(agent.agent_id, fresh, indexed.generation):
        await _index(indexed, some, vectors)
    indexed.index.set_states(now.values())
    indexed.until = changed[-1].changed if changed else indexed.until
    indexed.unstored += len(now)


async def _index(indexed: CachedRetrievalIndex, fresh: Sequence[IndexedMemory], vectors: Vectors) -> None:
    # A memory that was encoded with another embedding model gets a vector of the present model here.
    missing = [content for content, vector in fresh if vector is None]
    made = await vectors.of([embedded_text(content.memory) for content in missing])
    own = {content.memory_id: row for content, row in zip(missing, made, strict=True)}
    stored = {content.memory_id: vector for content, vector in fresh if vector is not None}
    if stored:
        own |= zip(stored, vectors.centred(np.stack([*stored.values()])), strict=True)
    rows = [own[content.memory_id] for content, _ in fresh]
    if len(fresh) > THREAD_THRESHOLD:
        await asyncio.to_thread(_add, indexed, fresh, rows)
    else:
        _add(indexed, fresh, rows)


def _add(indexed: CachedRetrievalIndex, fresh: Sequence[IndexedMemory], rows: Sequence[NDArray[np.float32]]) -> None:
    if not fresh:
        return
    contents = [content for content, _ in fresh]
    indexed.index.add(
        [content.memory_id for content in contents],
        np.stack(rows),
        [indexed_text(content.memory) for content in contents],
        contents=[RankedContent.of(content) for content in contents],
        scopes=[content.memory.scope for content in contents],
        sources=[content.origin.source for content in contents],
        turns=[content.memory.turn for content in contents],
    )
    indexed.principles |= {content.memory_id for content in contents if content.source in PRINCIPLE_SOURCES}
