"""The vectors of memories as the fold stores them: which are new, and which are stale.

A strength memory's text never changes, so its vector follows from the event that encodes it. Vectors of affective and
tiered memories are made from the states that the fold writes, not from events. Three things follow. A compression that
the fold ignores makes no vector. A memory that a nightly job deletes or merges keeps no vector. A text that is replaced
before it is written is never embedded.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_contracts.agents import MemoriesEmbedded
from nemuri_contracts.colleagues import MemoryCopied
from nemuri_contracts.event import Event
from nemuri_contracts.strength import MemoryEncoded
from nemuri_domain.affective.aggregate import AffectMemory, embedded_text
from nemuri_domain.strength.aggregate import Content
from nemuri_domain.strength.memory_content import embedded_text as strength_text
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_infra.projections import tables
from nemuri_infra.projections.identity_map import Change
from nemuri_infra.projections.vector_generations import texts_of
from nemuri_infra.projections.write_function import VectorRow
from nemuri_infra.stores.vectors import Vectors, generation_in, vector_key

WITH_VECTORS = (tables.affect_memory, tables.tier_memory)
"""Tables of the memories whose vectors are made from the text in their rows."""
_Worded = (AffectMemory, TierMemory)


def text_to_embed(memory: AffectMemory | TierMemory) -> str:
    """Return the text from which the vector of a memory is made."""
    return memory.content if isinstance(memory, TierMemory) else embedded_text(memory.trigger, memory.content)


async def encoded_vectors(vectors: Vectors, events: Iterable[Event]) -> Mapping[str, Any]:
    """Return the vectors of the strength memories that these events create, by vector key; None for a missing
    vector.
    """
    return await vectors.recorded({event.vector: strength_text(event.memory) for event in _encodings(events)})


def encoded_rows(events: Iterable[Event], contents: Iterable[Content], vectors: Mapping[str, Any]) -> list[VectorRow]:
    """Return the vector rows of the strength memories that these events create, as far as they are among `contents`.

    `vectors` holds vectors by key.
    """
    known = {content.memory_id for content in contents}
    encoded = (event for event in _encodings(events) if event.memory_id in known)
    return _rows((event.agent_id, event.memory_id, event.vector, vectors[event.vector]) for event in encoded)


async def reworded_rows(vectors: Vectors, changes: Iterable[Change]) -> tuple[list[dict[str, Any]], list[VectorRow]]:
    """Return the keys of stale vectors, and the rows of new ones: of new and changed texts, and of deleted memories.

    Stale vectors are deleted in all generations, because the old text does not exist any more.
    """
    reworded = [change for change in changes if _reworded(change)]
    stale = [{"agent_id": old.agent_id, "memory_id": old.memory_id} for old, _ in reworded if isinstance(old, _Worded)]
    memories = [new for _, new in reworded if isinstance(new, _Worded)]
    found = await vectors.recorded({memory.vector: text_to_embed(memory) for memory in memories})
    return stale, _rows((memory.agent_id, memory.memory_id, memory.vector, found[memory.vector]) for memory in memories)


async def write_generations(connection: AsyncConnection, vectors: Vectors, events: Iterable[Event]) -> None:
    """Write the vectors of other generations that the `MemoriesEmbedded` events ask for. Other events are ignored.

    Vectors are read for one event at a time, which bounds the memory that a replay needs.
    """
    for event in events:
        if isinstance(event, MemoriesEmbedded):
            rows = await _generation_rows(connection, vectors, event)
            if rows:
                values = [row._asdict() for row in rows]
                await connection.execute(upsert(tables.memory_vector).on_conflict_do_nothing(), values)


async def _generation_rows(
    connection: AsyncConnection, vectors: Vectors, event: MemoriesEmbedded
) -> Sequence[VectorRow]:
    found = await texts_of(connection, event.agent_id, event.memory_ids, before=event.sequence or 0)
    texts = {memory.memory_id: memory.text for memory in found}
    model, dimension = event.embedding.model, event.embedding.dimension
    keys = {memory_id: vector_key(model, dimension, text) for memory_id, text in texts.items()}
    known = await vectors.recorded({keys[memory_id]: text for memory_id, text in texts.items()})
    return _rows((event.agent_id, memory_id, key, known[key]) for memory_id, key in keys.items())


def _encodings(events: Iterable[Event]) -> list[MemoryEncoded | MemoryCopied]:
    return [event for event in events if isinstance(event, MemoryEncoded | MemoryCopied)]


def _rows(vectors: Iterable[tuple[str, UUID, str, Any]]) -> list[VectorRow]:
    """Return the rows for tuples of agent, memory, key and vector. A tuple whose vector is None is skipped."""
    return [
        VectorRow(agent_id, memory_id, generation_in(key), vector)
        for agent_id, memory_id, key, vector in vectors
        if vector is not None
    ]


def _reworded(change: Change) -> bool:
    old, new = change
    if not (isinstance(old, _Worded) and isinstance(new, _Worded)):
        return True
    return old.worded != new.worded
