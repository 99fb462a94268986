"""Updates of retrieval indexes from the projections and from their stored copies."""

import asyncio
import logging
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.memory_content import embedded_text, indexed_text
from nemuri_infra.projections.stored_indexes import StoredIndex
from nemuri_infra.projections.strength_queries import ChangedState, IndexedMemory
from nemuri_infra.retrieval.index_cache import CachedRetrievalIndex
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
        if any(each in indexed.index for each in erased.ids):
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
    now = {change.memory_id: change for change in changed}
    indexed.index.remove([change.memory_id for change in changed if change.rescoped > indexed.until])
    fresh = [each for each in now if each not in indexed.index]
    async for some in resources.views.indexed_memories(agent.agent_id, fresh, indexed.generation):
        await _index(indexed, some, vectors)
    _set_status(indexed, now.values())
    indexed.drop(now)
    indexed.until = changed[-1].changed if changed else indexed.until
    indexed.unstored += len(now)


def _set_status(indexed: CachedRetrievalIndex, changed: Collection[ChangedState]) -> None:
    for active in (True, False):
        indexed.index.set_active(
            [memory_change.memory_id for memory_change in changed if (memory_change.status == "active") == active],
            active,
        )
    standing = {
        memory_change.memory_id: memory_change.absorbed_by
        for memory_change in changed
        if memory_change.status == "absorbed"
    }
    split = {memory_change.memory_id: None for memory_change in changed if memory_change.status == "split"}
    if standing or split:
        indexed.index.set_absorbed(standing | split)
    indexed.index.set_standing(
        [memory_change.memory_id for memory_change in changed if memory_change.status in {"active", "archived"}]
    )


async def _index(indexed: CachedRetrievalIndex, fresh: Sequence[IndexedMemory], vectors: Vectors) -> None:
    # A memory that was encoded with another embedding model gets a vector of the present model here.
    missing = [indexed_memory for indexed_memory in fresh if indexed_memory.vector is None]
    made = await vectors.of([embedded_text(indexed_memory.memory) for indexed_memory in missing])
    own = {each.memory_id: row for each, row in zip(missing, made, strict=True)}
    stored = [indexed_memory for indexed_memory in fresh if indexed_memory.vector is not None]
    if stored:
        centred = vectors.centred(
            np.stack([indexed_memory.vector for indexed_memory in stored if indexed_memory.vector is not None])
        )
        own |= {each.memory_id: row for each, row in zip(stored, centred, strict=True)}
    rows = [own[indexed_memory.memory_id] for indexed_memory in fresh]
    if len(fresh) > THREAD_THRESHOLD:
        await asyncio.to_thread(_add, indexed, fresh, rows)
    else:
        _add(indexed, fresh, rows)


def _add(indexed: CachedRetrievalIndex, fresh: Sequence[IndexedMemory], rows: Sequence[NDArray[np.float32]]) -> None:
    if not fresh:
        return
    indexed.index.add(
        [indexed_memory.memory_id for indexed_memory in fresh],
        np.stack(rows),
        [indexed_text(indexed_memory.memory) for indexed_memory in fresh],
        scopes=[indexed_memory.memory.scope for indexed_memory in fresh],
        sources=[indexed_memory.source for indexed_memory in fresh],
        turns=[indexed_memory.memory.turn for indexed_memory in fresh],
    )
    indexed.principles |= {indexed_memory.memory_id for indexed_memory in fresh if indexed_memory.defined}
