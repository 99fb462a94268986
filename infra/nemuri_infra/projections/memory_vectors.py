"""The vectors of affective and of tiered memories: of each, that of its present words.

They follow the rows and not the events: a compression that the fold lets pass by brings no vector, a memory that a
night deletes or that becomes part of another keeps none, and of words that were replaced between two writings none is
ever made.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, tuple_
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_domain.affective.aggregate import AffectMemory
from nemuri_domain.affective.memory_text import embedded_text
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_infra.projections import tables
from nemuri_infra.projections.identity_map import Change
from nemuri_infra.stores.vectors import Vectors, generation_in

WITH_VECTORS = (tables.affect_memory, tables.tier_memory)
"""The tables whose rows are memories that have vectors of their own words."""
TOGETHER = 1_000
"""Vectors that are held at the same time."""


_Worded = (AffectMemory, TierMemory)


def words(memory: AffectMemory | TierMemory) -> str:
    """The text whose vector a memory is found by."""
    return memory.content if isinstance(memory, TierMemory) else embedded_text(memory.trigger, memory.content)


async def write_vectors(connection: AsyncConnection, vectors: Vectors, changes: Iterable[Change]) -> None:
    """Bring the vectors in step with these changes of memories."""
    of, reworded = tables.memory_vector, [each for each in changes if _reworded(each)]
    for start in range(0, len(reworded), TOGETHER):
        some = reworded[start : start + TOGETHER]
        stale = [(old.agent_id, old.memory_id) for old, _ in some if isinstance(old, _Worded)]
        if stale:
            # Those of other generations too: they are of words that there are no more.
            await connection.execute(delete(of).where(tuple_(of.c.agent_id, of.c.memory_id).in_(stale)))
        await _insert(connection, vectors, [new for _, new in some if isinstance(new, _Worded)])


async def _insert(connection: AsyncConnection, vectors: Vectors, memories: Sequence[AffectMemory | TierMemory]) -> None:
    found = await vectors.recorded({each.vector: words(each) for each in memories})
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
