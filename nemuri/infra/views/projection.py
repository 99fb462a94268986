"""From the log to the tables: a stretch of events, folded and written in one transaction with its checkpoint."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri.contracts.agents import MemoriesEmbedded
from nemuri.contracts.log import AnyEvent
from nemuri.contracts.memories import MemoryEncoded
from nemuri.contracts.subjects import Subjects
from nemuri.domain.deliveries import first_of_each
from nemuri.domain.memory.content import embedded_text
from nemuri.infra.log import Batch
from nemuri.infra.stores.vectors import Vectors, generation_in, vector_key
from nemuri.infra.views import tables
from nemuri.infra.views.courses import fold_courses
from nemuri.infra.views.database import Database
from nemuri.infra.views.erasing import erase, erased_among
from nemuri.infra.views.felt import WITH_VECTORS, write_vectors
from nemuri.infra.views.folding import States
from nemuri.infra.views.generations import words_of
from nemuri.infra.views.rows import insert_new, remove, write

FOLD = 14
"""The version of the folds; a newer one rebuilds the views before it serves."""
VIEW = "views"
Row = dict[str, Any]
"""The values of a row by the names of its columns."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far the views are, and by which folds they were made."""

    sequence: int
    fold: int
    halted: str | None = None
    """Why they do not go on; None while they do."""


class Unprojectable(Exception):  # noqa: N818 - reads as what the event is
    """The log holds something of our own that cannot be read; going on would make the views wrong."""

    @classmethod
    def check(cls, batch: Batch, subjects: Subjects) -> None:
        """Raise for an unreadable event of our own; what a client said and nobody understands means nothing."""
        for each in batch.unreadable:
            if subjects.client_of(each.subject) is None:
                raise cls(f"event {each.sequence} on {each.subject} cannot be read: {each.reason}")


@dataclass(frozen=True, slots=True)
class Projection:
    """Folds the log into the tables of one schema."""

    database: Database
    vectors: Vectors

    async def position(self) -> Position:
        """Where the views are; at the beginning if nothing was ever projected."""
        async with self.database.begin() as connection:
            return await _position(connection)

    async def apply(self, batch: Batch) -> int:
        """Fold what is new in the batch and return how far the views are now.

        However many projectors apply it, and however often, every event counts once.
        """
        fresh = await self.encoded_vectors(batch.events)
        async with self.database.begin() as connection:
            await hold(connection, self.database.schema)
            await connection.execute(
                upsert(tables.checkpoint).values(view=VIEW, sequence=0, fold=FOLD).on_conflict_do_nothing()
            )
            here = await _position(connection)
            if batch.until <= here.sequence:
                return here.sequence
            events = await first_of_all(
                connection, [each for each in batch.events if (each.sequence or 0) > here.sequence]
            )
            states = States()
            await write(connection, tables.memory, await states.fold(connection, events))
            for table, changes in states.changes():
                await write(connection, table, [new for _, new in changes if new is not None])
                await remove(connection, table, [old for old, new in changes if old is not None and new is None])
                if table in WITH_VECTORS:
                    await write_vectors(connection, self.vectors, changes)
            await fold_courses(connection, events)
            await _write_vectors(connection, vector_rows(events, fresh))
            await erase(connection, events)
            await self.write_generations(connection, events)
            await connection.execute(update(tables.checkpoint).values(sequence=batch.until, fold=FOLD, halted=None))
        return batch.until

    async def halt(self, why: str) -> None:
        """Note why the views do not go on; the next stretch that is applied takes it back."""
        async with self.database.begin() as connection:
            noted = upsert(tables.checkpoint).values(view=VIEW, sequence=0, fold=FOLD, halted=why)
            await connection.execute(noted.on_conflict_do_update(index_elements=["view"], set_={"halted": why}))

    async def encoded_vectors(self, events: Sequence[AnyEvent]) -> Mapping[str, Any]:
        """The vectors of what begins to be remembered, by their keys."""
        encoded = [each for each in events if isinstance(each, MemoryEncoded)]
        return await self.vectors.recorded({each.vector: embedded_text(each.memory) for each in encoded})

    async def write_generations(self, connection: AsyncConnection, events: Iterable[AnyEvent]) -> None:
        """Write other vectors of memories that the tables hold.

        They are read for one event at a time, so that a replay never holds those of many.
        """
        for each in events:
            if isinstance(each, MemoriesEmbedded):
                await self._write_generation(connection, each)

    async def _write_generation(self, connection: AsyncConnection, event: MemoriesEmbedded) -> None:
        found = await words_of(connection, event.agent_id, event.memory_ids, before=event.sequence or 0)
        texts = {each.memory_id: each.text for each in found}
        model, dimension = event.embedding.model, event.embedding.dimension
        keys = {memory_id: vector_key(model, dimension, text) for memory_id, text in texts.items()}
        vectors = await self.vectors.recorded({keys[memory_id]: text for memory_id, text in texts.items()})
        rows = ((event.agent_id, memory_id, key, vectors[key]) for memory_id, key in keys.items())
        await _write_vectors(connection, _vector_rows(rows))


async def hold(connection: AsyncConnection, schema: str) -> None:
    """Be the only one to change a schema's views until the end of the transaction.

    A lock by name rather than of a row: a rebuild exchanges the tables, and who waited meanwhile finds the new ones.
    """
    await connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(schema, 0))))


async def _position(connection: AsyncConnection) -> Position:
    place = tables.checkpoint.c
    query = select(place.sequence, place.fold, place.halted).where(place.view == VIEW)
    row = (await connection.execute(query)).one_or_none()
    return Position(row.sequence, row.fold, row.halted) if row else Position(0, FOLD)


async def first_of_all(connection: AsyncConnection, events: Sequence[AnyEvent]) -> list[AnyEvent]:
    """Those events that are the first of their id, here and in the whole log before, and not erased by then.

    The others never count.
    """
    kept = [*first_of_each(events, await erased_among(connection, events))]
    rows = [dict(zip(_JOURNAL, entry(each), strict=True)) for each in kept]
    accepted = set(await insert_new(connection, tables.journal, rows, tables.journal.c.sequence))
    return [each for each in kept if each.sequence in accepted]


_JOURNAL = tuple(str(column.name) for column in tables.journal.columns)


def entry(event: AnyEvent) -> tuple[Any, ...]:
    """What the journal says of an event, in the order of its columns."""
    return event.event_id, event.sequence, event.kind, event.thread, event.agent_id, event.at


def vector_rows(events: Iterable[AnyEvent], vectors: Mapping[str, Any]) -> list[Row]:
    """The vectors of what begins with these events to be remembered."""
    encoded = (each for each in events if isinstance(each, MemoryEncoded))
    return _vector_rows((each.agent_id, each.memory_id, each.vector, vectors[each.vector]) for each in encoded)


def _vector_rows(found: Iterable[tuple[str, UUID, str, Any]]) -> list[Row]:
    """Of agent, memory, key and vector of each; what the store does not hold any more has no row."""
    return [
        {"agent_id": agent_id, "memory_id": memory_id, "model": generation_in(key), "vector": vector}
        for agent_id, memory_id, key, vector in found
        if vector is not None
    ]


async def _write_vectors(connection: AsyncConnection, rows: Sequence[Row]) -> None:
    if rows:
        await connection.execute(upsert(tables.memory_vector).on_conflict_do_nothing(), rows)
