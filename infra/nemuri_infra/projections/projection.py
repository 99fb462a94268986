"""The projections of one schema: their position in the log, and why they may be unusable."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_contracts.codec import AnyEvent
from nemuri_contracts.subjects import Subjects
from nemuri_domain.event_sourcing.deduplication import Parked
from nemuri_infra.bus.log_batch import Batch
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.stores.vectors import Vectors

FOLD = 28
"""Version of the folds. A program with a higher version rebuilds the projections before it uses them."""
VIEW = "views"
NEWER_VERSION_RUNS = "a newer version is running, so this one stops"
REBUILD_ADVICE = "start the projector of this version or run `nemuri rebuild` to rebuild them"


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
        for message in batch.unreadable:
            if subjects.client_of(message.subject) is None:
                why = f"event {message.sequence} on {message.subject} cannot be read: {message.reason}"
                raise cls(why, message.sequence)


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
    """The projections in the tables of one schema, and the store of the vectors that they contain."""

    database: Database
    vectors: Vectors

    async def position(self) -> Position:
        """Return the position of the projections; sequence 0 if nothing was folded yet."""
        async with self.database.begin() as connection:
            return await read_position(connection)

    async def halt(self, why: str, at: int | None = None) -> None:
        """Record why the projections are halted, and at which event. The next applied batch clears the record.

        Does nothing if the projections have a higher version.
        """
        known = {"halted": why, "halted_at": at}
        noted = upsert(tables.checkpoint).values(view=VIEW, sequence=0, fold=FOLD, **known)
        ours = tables.checkpoint.c.fold <= FOLD
        async with self.database.begin() as connection:
            await connection.execute(noted.on_conflict_do_update(index_elements=["view"], set_=known, where=ours))


async def lock_schema(connection: AsyncConnection, schema: str) -> None:
    """Lock the projections of a schema against other writers until the end of the transaction.

    The lock is on a name and not on a row, because a rebuild exchanges the tables. So a writer that waited for the lock
    uses the new tables.
    """
    await connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(schema, 0))))


async def read_position(connection: AsyncConnection) -> Position:
    """Return the position of the projections that this connection uses; sequence 0 if nothing was projected."""
    sequence = tables.checkpoint.c
    query = select(sequence.sequence, sequence.fold, sequence.halted, sequence.halted_at).where(sequence.view == VIEW)
    row = (await connection.execute(query)).one_or_none()
    return Position(row.sequence, row.fold, row.halted, row.halted_at) if row else Position(0, FOLD)
