"""The core of the projector. It folds a batch of events into the tables, in one transaction with the checkpoint."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import Insert
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_contracts.agents import MemoriesEmbedded
from nemuri_contracts.codec import AnyEvent
from nemuri_contracts.colleagues import MemoryCopied
from nemuri_contracts.strength import MemoryEncoded
from nemuri_contracts.subjects import Subjects
from nemuri_domain.event_sourcing.deduplication import Parked, first_of_each
from nemuri_domain.strength.aggregate import Content
from nemuri_domain.strength.memory_content import embedded_text
from nemuri_infra.bus.event_log import Batch
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.education import fold_courses
from nemuri_infra.projections.erasure import erase, erased_among
from nemuri_infra.projections.fold_states import States
from nemuri_infra.projections.memory_vectors import WITH_VECTORS, write_vectors
from nemuri_infra.projections.rows import insert_new, remove, write
from nemuri_infra.projections.vector_generations import texts_of
from nemuri_infra.stores.vectors import Vectors, generation_in, vector_key

FOLD = 24
"""Version of the folds. A program with a higher version rebuilds the projections before it uses them."""
VIEW = "views"
NEWER_VERSION_RUNS = "a newer version is running, so this one stops"
REBUILD_ADVICE = "start the projector of this version or run `nemuri rebuild` to rebuild them"
Row = dict[str, Any]
"""Values of a row by column name."""


@dataclass(frozen=True, slots=True)
class Position:
    """The position of the projections in the log, and the version of the folds that built them."""

    sequence: int
    fold: int
    halted: str | None = None
    """Reason why the projections are halted; None if they are not."""
    halted_at: int | None = None
    """Sequence of the event at which the projections are halted; None if no event is the cause."""


class Unprojectable(Exception):  # noqa: N818 - states a condition
    """An event of a service cannot be folded. Skipping it would make the projections wrong."""

    def __init__(self, why: str, sequence: int | None = None) -> None:
        super().__init__(why)
        self.sequence = sequence
        """Sequence of the event that cannot be folded; None if no event is the cause."""

    @classmethod
    def check(cls, batch: Batch, subjects: Subjects) -> None:
        """Raise `Unprojectable` if the batch contains a message of a service that cannot be decoded.

        Undecodable messages of clients are ignored.
        """
        for each in batch.unreadable:
            if subjects.client_of(each.subject) is None:
                why = f"event {each.sequence} on {each.subject} cannot be read: {each.reason}"
                raise cls(why, each.sequence)


class GapError(Exception):
    """The batch begins after the position of the projections. Read the log again from that position."""


class OutdatedError(Exception):
    """The projections contain an event that was parked after it was folded. They must be rebuilt without the event."""

    @classmethod
    async def check(cls, connection: AsyncConnection, events: Iterable[AnyEvent]) -> None:
        """Raise `OutdatedError` if the projections contain an event that `events` park."""
        parked, entry = Parked.by(events), tables.journal.c
        if not parked.until:
            return
        held = select(entry.event_id, entry.sequence).where(entry.event_id.in_(parked.until))
        for event_id, sequence in await connection.execute(held):
            if parked.covers(event_id, sequence):
                why = f"event {sequence} was folded before it was parked"
                raise cls(f"{why}; `nemuri rebuild` rebuilds the projections without it")


class OtherFoldsError(Exception):
    """The projections were built by another version of the folds, which may interpret events differently."""

    def __init__(self, fold: int) -> None:
        self.newer = fold > FOLD
        """True if the projections have a higher version than this program. The program then stops."""
        made = f"the projections were built by folds of version {fold}, but this is version {FOLD}"
        super().__init__(f"{made}: {NEWER_VERSION_RUNS if self.newer else REBUILD_ADVICE}")

    @classmethod
    def check(cls, position: Position) -> None:
        """Raise `OtherFoldsError` unless the projections were built by this version of the folds."""
        if position.fold != FOLD:
            raise cls(position.fold)


@dataclass(frozen=True, slots=True)
class Projection:
    """The projection of the log into the tables of one schema."""

    database: Database
    vectors: Vectors

    async def position(self) -> Position:
        """Return the position of the projections; sequence 0 if nothing was folded yet."""
        async with self.database.begin() as connection:
            return await read_position(connection)

    async def apply(self, batch: Batch) -> int:
        """Fold the batch's events that are not folded yet, and return the new position.

        Every event is folded once, even if several projectors apply it or one projector applies it again. Raises
        `GapError` if the batch begins after the position, `OtherFoldsError` if the projections have another version,
        and `OutdatedError` if they contain an event that the batch parks.
        """
        fresh = await self.encoded_vectors(batch.events)
        async with self.database.begin() as connection:
            await lock_schema(connection, self.database.schema)
            here = await read_position(connection)
            OtherFoldsError.check(here)
            if here.sequence < batch.after:
                raise GapError(f"the projections are at {here.sequence}, but the batch begins after {batch.after}")
            if batch.until <= here.sequence:
                return here.sequence
            await OutdatedError.check(connection, batch.events)
            events = await first_of_all(
                connection, [each for each in batch.events if (each.sequence or 0) > here.sequence]
            )
            states = States()
            contents = await states.fold(connection, events)
            await write(connection, tables.memory, contents)
            for table, changes in states.changes():
                await write(connection, table, [new for _, new in changes if new is not None])
                await remove(connection, table, [old for old, new in changes if old is not None and new is None])
                if table in WITH_VECTORS:
                    await write_vectors(connection, self.vectors, changes)
            await fold_courses(connection, events)
            await _write_vectors(connection, vector_rows(events, contents, fresh))
            await erase(connection, events)
            await self.write_generations(connection, events)
            await connection.execute(reached(batch.until))
        return batch.until

    async def halt(self, why: str, at: int | None = None) -> None:
        """Record why the projections are halted, and at which event. The next applied batch clears the record.

        Does nothing if the projections have a higher version.
        """
        known = {"halted": why, "halted_at": at}
        noted = upsert(tables.checkpoint).values(view=VIEW, sequence=0, fold=FOLD, **known)
        ours = tables.checkpoint.c.fold <= FOLD
        async with self.database.begin() as connection:
            await connection.execute(noted.on_conflict_do_update(index_elements=["view"], set_=known, where=ours))

    async def encoded_vectors(self, events: Sequence[AnyEvent]) -> Mapping[str, Any]:
        """Return the vectors of the strength memories that these events create, by vector key; None for a missing
        vector.
        """
        encoded = [each for each in events if isinstance(each, MemoryEncoded | MemoryCopied)]
        return await self.vectors.recorded({each.vector: embedded_text(each.memory) for each in encoded})

    async def write_generations(self, connection: AsyncConnection, events: Iterable[AnyEvent]) -> None:
        """Write the vectors of other generations that the `MemoriesEmbedded` events ask for. Other events are ignored.

        Vectors are read for one event at a time, which bounds the memory that a replay needs.
        """
        for each in events:
            if isinstance(each, MemoriesEmbedded):
                await self._write_generation(connection, each)

    async def _write_generation(self, connection: AsyncConnection, event: MemoriesEmbedded) -> None:
        found = await texts_of(connection, event.agent_id, event.memory_ids, before=event.sequence or 0)
        texts = {each.memory_id: each.text for each in found}
        model, dimension = event.embedding.model, event.embedding.dimension
        keys = {memory_id: vector_key(model, dimension, text) for memory_id, text in texts.items()}
        vectors = await self.vectors.recorded({keys[memory_id]: text for memory_id, text in texts.items()})
        rows = ((event.agent_id, memory_id, key, vectors[key]) for memory_id, key in keys.items())
        await _write_vectors(connection, _vector_rows(rows))


async def lock_schema(connection: AsyncConnection, schema: str) -> None:
    """Lock the projections of a schema against other writers until the end of the transaction.

    The lock is on a name and not on a row, because a rebuild exchanges the tables. So a writer that waited for the lock
    uses the new tables.
    """
    await connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(schema, 0))))


async def read_position(connection: AsyncConnection) -> Position:
    """Return the position of the projections that this connection uses; sequence 0 if nothing was projected."""
    place = tables.checkpoint.c
    query = select(place.sequence, place.fold, place.halted, place.halted_at).where(place.view == VIEW)
    row = (await connection.execute(query)).one_or_none()
    return Position(row.sequence, row.fold, row.halted, row.halted_at) if row else Position(0, FOLD)


def reached(sequence: int) -> Insert:
    """Return the statement that records that the projections have reached `sequence` and are not halted."""
    place = {"sequence": sequence, "halted": None, "halted_at": None}
    new = upsert(tables.checkpoint).values(view=VIEW, fold=FOLD, **place)
    return new.on_conflict_do_update(index_elements=["view"], set_=place)


async def first_of_all(connection: AsyncConnection, events: Sequence[AnyEvent]) -> list[AnyEvent]:
    """Add to the journal the first event with each id, unless it is erased, and return the added events.

    All other events have no effect.
    """
    kept = [*first_of_each(events, await erased_among(connection, events))]
    rows = [journal_record(each) for each in kept]
    accepted = set(await insert_new(connection, tables.journal, rows, tables.journal.c.sequence))
    return [each for each in kept if each.sequence in accepted]


_JOURNAL = tuple(str(column.name) for column in tables.journal.columns)


def journal_record(event: AnyEvent) -> Row:
    """Return the row of the journal for an event."""
    return dict(zip(_JOURNAL, journal_row(event), strict=True))


def journal_row(event: AnyEvent) -> tuple[Any, ...]:
    """Return the journal's row for an event: the values in the order of the table's columns."""
    return event.event_id, event.sequence, event.kind, event.thread, event.agent_id, event.causation_id, event.at


def vector_rows(events: Iterable[AnyEvent], contents: Iterable[Content], vectors: Mapping[str, Any]) -> list[Row]:
    """Return the vector rows of the strength memories that these events create, as far as they are among `contents`.

    `vectors` holds vectors by key.
    """
    known = {each.memory_id for each in contents}
    made = (each for each in events if isinstance(each, MemoryEncoded | MemoryCopied))
    encoded = (each for each in made if each.memory_id in known)
    return _vector_rows((each.agent_id, each.memory_id, each.vector, vectors[each.vector]) for each in encoded)


def _vector_rows(found: Iterable[tuple[str, UUID, str, Any]]) -> list[Row]:
    """Return the vector rows for tuples of agent, memory, key and vector. A tuple whose vector is None is skipped."""
    return [
        {"agent_id": agent_id, "memory_id": memory_id, "model": generation_in(key), "vector": vector}
        for agent_id, memory_id, key, vector in found
        if vector is not None
    ]


async def _write_vectors(connection: AsyncConnection, rows: Sequence[Row]) -> None:
    if rows:
        await connection.execute(upsert(tables.memory_vector).on_conflict_do_nothing(), rows)
