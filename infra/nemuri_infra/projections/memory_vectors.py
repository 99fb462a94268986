"""Vectors of affective and tiered memories, made from the memories' present text.

They are made from the rows that the fold writes, not from events. Three things follow. A compression that the fold
ignores makes no vector. A memory that a nightly job deletes or merges keeps no vector. A text that is replaced before
it is written is never embedded.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, tuple_
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_domain.affective.aggregate import AffectMemory, embedded_text
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_infra.projections import tables
from nemuri_infra.projections.identity_map import Change
from nemuri_infra.stores.vectors import Vectors, generation_in

WITH_VECTORS = (tables.affect_memory, tables.tier_memory)
"""Tables of the memories whose vectors are made from the text in their rows."""
VECTOR_BATCH = 1_000
"""Maximum number of vectors in memory at a time."""


_Worded = (AffectMemory, TierMemory)


def text_to_embed(memory: AffectMemory | TierMemory) -> str:
    """Return the text from which the vector of a memory is made."""
    return memory.content if isinstance(memory, TierMemory) else embedded_text(memory.trigger, memory.content)


async def write_vectors(connection: AsyncConnection, vectors: Vectors, changes: Iterable[Change]) -> None:
    """Write the vectors of new texts, and delete the vectors of replaced texts and of deleted memories."""
    of, reworded = tables.memory_vector, [each for each in changes if _reworded(each)]
    for start in range(0, len(reworded), VECTOR_BATCH):
        some = reworded[start : start + VECTOR_BATCH]
        stale = [(old.agent_id, old.memory_id) for old, _ in some if isinstance(old, _Worded)]
        if stale:
            # In all generations, because the old text does not exist any more.
            await connection.execute(delete(of).where(tuple_(of.c.agent_id, of.c.memory_id).in_(stale)))
        await _insert(connection, vectors, [new for _, new in some if isinstance(new, _Worded)])


async def _insert(connection: AsyncConnection, vectors: Vectors, memories: Sequence[AffectMemory | TierMemory]) -> None:
    found = await vectors.recorded({each.vector: text_to_embed(each) for each in memories})
    rows = [
        {
            "agent_id": each.agent_id,
            "memory_id": each.memory_id,
            "model": generation_in(each.vector),
            "vector": found[each.vector],
        }
        for each in memories
        if found[each.vector] is not None
    ]
    if rows:
        await connection.execute(upsert(tables.memory_vector).on_conflict_do_nothing(), rows)


def _reworded(change: Change) -> bool:
    old, new = change
    if not (isinstance(old, _Worded) and isinstance(new, _Worded)):
        return True
    return old.worded != new.worded
