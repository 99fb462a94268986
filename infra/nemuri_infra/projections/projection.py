"""From the log to the tables: a stretch of events, folded and written in one transaction with its checkpoint."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_contracts.agents import MemoriesEmbedded
from nemuri_contracts.codec import AnyEvent
from nemuri_contracts.strength import MemoryEncoded
from nemuri_contracts.subjects import Subjects
from nemuri_domain.event_sourcing.deduplication import Parked, first_of_each
from nemuri_domain.strength.memory_content import embedded_text
from nemuri_infra.bus.event_log import Batch
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.education import fold_courses
from nemuri_infra.projections.erasure import erase, erased_among
from nemuri_infra.projections.folding import States
from nemuri_infra.projections.memory_vectors import WITH_VECTORS, write_vectors
from nemuri_infra.projections.rows import insert_new, remove, write
from nemuri_infra.projections.vector_generations import words_of
from nemuri_infra.stores.vectors import Vectors, generation_in, vector_key

FOLD = 15
"""The version of the folds; a newer one rebuilds the views before it serves."""
VIEW = "views"
STANDS_ASIDE = "a newer version is at work, and this one stands aside"
MADE_ANEW = "the projector of this version makes them anew when it starts, and so does `nemuri rebuild`"
Row = dict[str, Any]
"""The values of a row by the names of its columns."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far the views are, and by which folds they were made."""

    sequence: int
    fold: int
    halted: str | None = None
    """Why they do not go on; None while they do."""
    halted_at: int | None = None
    """The event at which they do not go on; None where the reason is no event."""


class Unprojectable(Exception):  # noqa: N818 - reads as what the event is
    """The log holds something of our own that cannot be folded; going on would make the views wrong."""

    def __init__(self, why: str, sequence: int | None = None) -> None:
        super().__init__(why)
        self.sequence = sequence
        """The event that cannot be folded; None where the reason is no event."""

    @classmethod
    def check(cls, batch: Batch, subjects: Subjects) -> None:
        """Raise for an unreadable event of our own; what a client said and nobody understands means nothing."""
        for each in batch.unreadable:
            if subjects.client_of(each.subject) is None:
                why = f"event {each.sequence} on {each.subject} cannot be read: {each.reason}"
                raise cls(why, each.sequence)


class GapError(Exception):
    """A stretch begins beyond the place that the views are at: read again from there, or events are lost."""


class OutdatedError(Exception):
    """The views hold an event that was parked since: they are to be made anew without it."""

    @classmethod
    async def check(cls, connection: AsyncConnection, events: Iterable[AnyEvent]) -> None:
        """Raise for views that hold what these events park."""
        parked, entry = Parked.by(events), tables.journal.c
        if not parked.until:
            return
        held = select(entry.event_id, entry.sequence).where(entry.event_id.in_(parked.until))
        for event_id, sequence in await connection.execute(held):
            if parked.covers(event_id, sequence):
                why = f"event {sequence} was folded before it was parked"
                raise cls(f"{why}; `nemuri rebuild` makes the views without it")


class OtherFoldsError(Exception):
    """The views were made by folds of another version; whoever folds into them mixes two meanings of one event."""

    def __init__(self, fold: int) -> None:
        self.newer = fold > FOLD
        """Whether the views are ahead of this program, which then stands aside."""
        made = f"the views were made by folds of version {fold}, and this is {FOLD}"
        super().__init__(f"{made}: {STANDS_ASIDE if self.newer else MADE_ANEW}")

    @classmethod
    def check(cls, position: Position) -> None:
        """Raise unless the views were made by folds of this version."""
        if position.fold != FOLD:
            raise cls(position.fold)


@dataclass(frozen=True, slots=True)
class Projection:
    """Folds the log into the tables of one schema."""

    database: Database
    vectors: Vectors

    async def position(self) -> Position:
        """Where the views are; at the beginning if nothing was ever projected."""
        async with self.database.begin() as connection:
            return await position_in(connection)

    async def apply(self, batch: Batch) -> int:
        """Fold what is new in the batch and return how far the views are now.

        However many projectors apply it, and however often, every event counts once. Raises `GapError` where the views
        are not at the batch's beginning yet, `OtherFoldsError` for views that another version made, and `OutdatedError`
        for views that hold what the batch parks.
        """
        fresh = await self.encoded_vectors(batch.events)
        async with self.database.begin() as connection:
            await hold(connection, self.database.schema)
            await connection.execute(
                upsert(tables.checkpoint).values(view=VIEW, sequence=0, fold=FOLD).on_conflict_do_nothing()
            )
            here = await position_in(connection)
            OtherFoldsError.check(here)
            if here.sequence < batch.after:
                raise GapError(f"the views are at {here.sequence}, and the stretch begins after {batch.after}")
            if batch.until <= here.sequence:
                return here.sequence
            await OutdatedError.check(connection, batch.events)
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
            reached = update(tables.checkpoint).values(sequence=batch.until, halted=None, halted_at=None)
            await connection.execute(reached)
        return batch.until

    async def halt(self, why: str, at: int | None = None) -> None:
        """Note why the views do not go on, and at which event; the next stretch that is applied takes it back.

        Views that a newer version made are not ours to write to.
        """
        known = {"halted": why, "halted_at": at}
        noted = upsert(tables.checkpoint).values(view=VIEW, sequence=0, fold=FOLD, **known)
        ours = tables.checkpoint.c.fold <= FOLD
        async with self.database.begin() as connection:
            await connection.execute(noted.on_conflict_do_update(index_elements=["view"], set_=known, where=ours))

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


async def position_in(connection: AsyncConnection) -> Position:
    """Return where the views of a connection's schema are; at the beginning if nothing was ever projected."""
    place = tables.checkpoint.c
    query = select(place.sequence, place.fold, place.halted, place.halted_at).where(place.view == VIEW)
    row = (await connection.execute(query)).one_or_none()
    return Position(row.sequence, row.fold, row.halted, row.halted_at) if row else Position(0, FOLD)


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
