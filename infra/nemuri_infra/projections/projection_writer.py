"""The only writer of the projections' tables. It folds batches of the log, and writes what they change.

Following new events, a rebuild and a verification differ only in the size of their batches.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import psycopg
from nats.errors import Error as NatsError
from sqlalchemy import select, text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_contracts.agents import MemoriesEmbedded
from nemuri_contracts.codec import AnyEvent
from nemuri_contracts.event import Event
from nemuri_contracts.parked_events import EventParked
from nemuri_contracts.subjects import Subjects
from nemuri_domain.event_sourcing.deduplication import first_of_each
from nemuri_domain.event_sourcing.erasure import TOMBSTONES
from nemuri_domain.event_sourcing.state import State
from nemuri_domain.strength.aggregate import Content
from nemuri_infra.bus.log_batch import Batch
from nemuri_infra.errors.database_errors import OUTAGES
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.projections import tables
from nemuri_infra.projections.erasure import erase, erased_among, erased_keys
from nemuri_infra.projections.fold_states import States
from nemuri_infra.projections.memory_vectors import (
    WITH_VECTORS,
    encoded_rows,
    encoded_vectors,
    reworded_rows,
    write_generations,
)
from nemuri_infra.projections.projection import (
    FOLD,
    GapError,
    OtherFoldsError,
    OutdatedError,
    Position,
    Projection,
    Unprojectable,
)
from nemuri_infra.projections.rows import key_of
from nemuri_infra.projections.write_function import BatchRows, RefusedBatchError, WriteCondition, write_batch

MAX_STATES = 20_000
"""Maximum number of tasks and memories whose states stay in memory between two batches."""
ENVIRONMENT_ERRORS = (
    NatsError, GapError, OtherFoldsError, OutdatedError, ProgrammingError, psycopg.ProgrammingError, *OUTAGES,
)  # fmt: skip
"""Errors that are not caused by an event: a server is unavailable, or the projections are in an unexpected state."""
_WITH_MORE: tuple[type[Event], ...] = (*TOMBSTONES, EventParked, MemoriesEmbedded)
"""Events that need more statements than the one that writes their batch."""
_CONDITION = text("""
    -- The identity of the tables, and their position if anything was folded.
    SELECT to_regclass('memory_state')::oid::bigint AS tables, checkpoint.sequence, checkpoint.fold
    FROM (SELECT) AS one LEFT JOIN checkpoint ON checkpoint.view = 'views'
""")


@dataclass(slots=True)
class ProjectionWriter:
    """A writer of projections. It keeps the states of the newest batches in memory, because usually only it writes.

    It assumes that every event of a batch is new and effective, and that nobody else has written since its last batch.
    If the database refuses a batch because this is wrong, it asks which events have an effect, and tries again.
    """

    projection: Projection
    _states: States = field(default_factory=States)
    _at: WriteCondition | None = None
    """State of the projections after the last batch; None if it must be read."""
    _without_effect: set[int] | None = field(default_factory=set)
    """Sequences since the last `take_without_effect` of events without effect; None if another writer wrote some."""

    async def fold(self, batch: Batch, subjects: Subjects) -> int:
        """Fold a batch and return the new position of the projections.

        If an event cannot be folded, all events before it are folded, and then `Unprojectable` is raised. Also raises
        the errors of `apply`.
        """
        try:
            Unprojectable.check(batch, subjects)
            return await self.apply(batch)
        except ENVIRONMENT_ERRORS:
            raise
        except Exception as error:
            if len(batch.sequences) > 1:
                return await self._fold_halves(batch, subjects)
            if isinstance(error, Unprojectable) or not batch.events:
                raise
            raise _unprojectable(batch.events[0], error) from error

    def take_without_effect(self) -> frozenset[int] | None:
        """Return the sequences of the events without effect that were folded since the last call.

        They are repeated or erased. Returns None if another writer has folded some of the events.
        """
        taken, self._without_effect = self._without_effect, set()
        return None if taken is None else frozenset(taken)

    async def _fold_halves(self, batch: Batch, subjects: Subjects) -> int:
        """Fold the two halves of a batch in order. A half that fails is divided again."""
        sequences = batch.sequences
        first, second = batch.split(sequences[len(sequences) // 2 - 1])
        await self.fold(first, subjects)
        return await self.fold(second, subjects)

    async def apply(self, batch: Batch) -> int:
        """Fold the batch's events that are not folded yet, and return the new position.

        Every event is folded once, even if several writers apply it or one applies it again. Raises `GapError` if the
        batch begins after the position, `OtherFoldsError` if the projections have another version, and `OutdatedError`
        if they contain an event that the batch parks. After an error nothing of the batch is written.
        """
        try:
            return await self._apply(batch)
        except BaseException:
            self._forget()
            raise

    async def _apply(self, batch: Batch) -> int:
        surely_new = True
        while True:
            here = self._at = self._at or await self._condition()
            if here.after < batch.after:
                raise GapError(f"the projections are at {here.after}, but the batch begins after {batch.after}")
            if here.after > batch.after:
                self._without_effect = None
            if batch.until <= here.after:
                return here.after
            try:
                await self._write(here, batch, surely_new=surely_new)
            except RefusedBatchError:
                self._forget()
                surely_new = False
            else:
                self._at = replace(here, after=batch.until)
                return batch.until

    async def _condition(self) -> WriteCondition:
        """Return the present state of the projections. Raises `OtherFoldsError`."""
        async with self.projection.database.reading() as connection:
            row = (await connection.execute(_CONDITION)).one()
        OtherFoldsError.check(Position(row.sequence or 0, row.fold or FOLD))
        self._states.blank = not row.sequence
        return WriteCondition(row.tables, row.sequence or 0, FOLD)

    def _forget(self) -> None:
        self._states.forget()
        self._at = None

    async def _write(self, here: WriteCondition, batch: Batch, *, surely_new: bool) -> None:
        """Fold and write a batch. Unless its events are `surely_new`, the database is asked which have an effect.

        Raises `RefusedBatchError` and `OutdatedError`; then nothing is written.
        """
        events = [event for event in batch.events if (event.sequence or 0) > here.after]
        further = any(isinstance(event, _WITH_MORE) for event in events)
        database, vectors = self.projection.database, self.projection.vectors
        found = await encoded_vectors(vectors, events)
        async with database.begin() if further else database.reading() as connection:
            await OutdatedError.check(connection, events)
            valid = [*first_of_each(events)] if surely_new else await _effective(connection, events)
            contents = await self._states.fold(connection, valid)
            rows = await self._rows(valid, contents, found)
            names = erased_keys(event for event in valid if surely_new and not isinstance(event, TOMBSTONES))
            await write_batch(connection, here, batch.until, names, rows)
            await erase(connection, valid)
            await write_generations(connection, vectors, valid)
        self._states.settle()
        if self._without_effect is not None:
            counting = {event.sequence for event in valid}
            self._without_effect.update(e.sequence or 0 for e in events if e.sequence not in counting)
        if further or self._states.size > MAX_STATES:
            self._states.forget()

    async def _rows(
        self, events: Sequence[AnyEvent], contents: Sequence[Content], vectors: Mapping[str, Any]
    ) -> BatchRows:
        """Return the rows for the events that the states have folded. `vectors` are those of strength memories."""
        states: dict[str, Sequence[State]] = {tables.memory.name: contents}
        gone: dict[str, Sequence[dict[str, Any]]] = {}
        stale, fresh = list[dict[str, Any]](), encoded_rows(events, contents, vectors)
        for table, changes in self._states.changes():
            states[table.name] = [new for _, new in changes if new is not None]
            if removed := [old for old, new in changes if old is not None and new is None]:
                gone[table.name] = [key_of(table, state) for state in removed]
            if changes and table in WITH_VECTORS:
                old_keys, new_rows = await reworded_rows(self.projection.vectors, changes)
                stale += old_keys
                fresh += new_rows
        if stale:
            gone[tables.memory_vector.name] = stale
        return BatchRows([journal_row(event) for event in events], states, gone, fresh)


async def _effective(connection: AsyncConnection, events: Sequence[AnyEvent]) -> list[AnyEvent]:
    """Return the events that are the first with their id and are not erased. All others have no effect."""
    query = select(tables.journal.c.event_id).where(tables.journal.c.event_id.in_([event.event_id for event in events]))
    known = set((await connection.execute(query)).scalars())
    first = first_of_each(events, await erased_among(connection, events))
    return [event for event in first if event.event_id not in known]


def journal_row(event: AnyEvent) -> dict[str, Any]:
    """Return the row of the journal for an event."""
    return {
        "event_id": event.event_id,
        "sequence": event.sequence,
        "kind": event.kind,
        "task_id": event.thread,
        "agent_id": event.agent_id,
        "causation_id": event.causation_id,
        "recorded_at": event.at,
    }


def _unprojectable(event: AnyEvent, error: Exception) -> Unprojectable:
    """Return the error as an `Unprojectable` that names the event."""
    whose = f" of {event.agent_id}" if event.agent_id else ""
    why = f"event {event.sequence}, {event.kind}{whose}, cannot be folded: {log_safe(error)}"
    return Unprojectable(why, event.sequence)
