"""Bulk fold of the log into projections that are not in use yet.

The states are folded in memory and then copied into the tables.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TypeVar

from psycopg.errors import UniqueViolation
from sqlalchemy import text

from nemuri_contracts.agents import MemoriesEmbedded
from nemuri_contracts.codec import AnyEvent
from nemuri_domain.event_sourcing.deduplication import first_of_each
from nemuri_domain.event_sourcing.erasure import TOMBSTONES, Erased
from nemuri_infra.bus.event_log import Batch, Log
from nemuri_infra.projections import tables
from nemuri_infra.projections.education import fold_courses
from nemuri_infra.projections.erasure import erase, everything_erased
from nemuri_infra.projections.fold_states import States, rescoped_among
from nemuri_infra.projections.memory_vectors import WITH_VECTORS, write_vectors
from nemuri_infra.projections.projection import (
    OutdatedError,
    Projection,
    Unprojectable,
    first_of_all,
    journal_row,
    reached,
    vector_rows,
)
from nemuri_infra.projections.rows import copy, copy_values, remove, write

MAX_STATES = 50_000
"""Maximum number of tasks and memories whose states are kept in memory.

Above it all states are written to the tables and dropped from memory. They are read again when needed.
"""

FOLDED_BATCHES = 4
"""Number of batches of the log that are folded and written together, to save transactions."""

T = TypeVar("T")
Advance = Callable[[int, int], None]
"""Progress callback of a long operation, called with the completed and the total amount."""


@dataclass(slots=True)
class BulkProjection:
    """A projection into tables that nobody uses. The states of tasks and minds stay in memory until `write`."""

    projection: Projection
    states: States = field(default_factory=lambda: States(blank=True))
    erased: Erased = field(default_factory=Erased)

    async def apply(self, events: Sequence[AnyEvent]) -> None:
        """Fold a batch of valid events. The states of tasks and minds are written to the tables only by `write`.

        Calls `write` if the batch contains tombstones, if it needs written rows, or if more than `MAX_STATES` states
        are in memory.
        """
        vectors = await self.projection.encoded_vectors(events)
        async with self.projection.database.begin() as connection:
            moved = rescoped_among(events)
            contents = await self.states.fold(connection, events)
            await copy(connection, tables.memory, [each for each in contents if each.memory_id not in moved])
            await write(connection, tables.memory, [each for each in contents if each.memory_id in moved])
            await fold_courses(connection, events)
            if rows := [tuple(row.values()) for row in vector_rows(events, contents, vectors)]:
                await copy_values(connection, tables.memory_vector, rows)
        if any(isinstance(each, MemoriesEmbedded) for each in events):
            await self._embed(events)
        if any(isinstance(each, TOMBSTONES) for each in events):
            await self._erase(events)
        elif self.states.size > MAX_STATES:
            await self.write()

    async def _embed(self, events: Sequence[AnyEvent]) -> None:
        """Write the vectors of other generations that the `MemoriesEmbedded` events ask for.

        Vectors of affective and tiered memories are made from rows. So unwritten rows of the agents are written first.
        """
        rows = (self.states.affects, self.states.tiers)
        embedded = [each.agent_id for each in events if isinstance(each, MemoriesEmbedded)]
        if any(minds.holds(agent_id) for minds in rows for agent_id in embedded):
            await self.write()
        async with self.projection.database.begin() as connection:
            await self.projection.write_generations(connection, events)

    async def _erase(self, events: Sequence[AnyEvent]) -> None:
        """Write all states, and then delete the rows that the tombstones in `events` erase."""
        await self.write()
        async with self.projection.database.begin() as connection:
            await erase(connection, events)

    async def write(self) -> None:
        """Write all folded states to the tables and drop them from memory."""
        async with self.projection.database.begin() as connection:
            for table, changes in self.states.changes():
                await copy(connection, table, [new for old, new in changes if old is None and new is not None])
                await write(connection, table, [new for old, new in changes if old is not None and new is not None])
                await remove(connection, table, [old for old, new in changes if old is not None and new is None])
                if table in WITH_VECTORS:
                    await write_vectors(connection, self.projection.vectors, changes)
        self.states.forget()

    async def first(self, events: Sequence[AnyEvent]) -> list[AnyEvent]:
        """Add to the journal the first event with each id, unless it is erased, and return the added events.

        Must be called for all batches of the log, in order.
        """
        found = await self._journaled([*first_of_each(events, self.erased)])
        self.erased |= Erased.by(found)
        return found

    async def _journaled(self, events: list[AnyEvent]) -> list[AnyEvent]:
        """Add events to the journal and return those that it did not contain.

        Duplicates are rare, so they are searched only after an insertion failed.
        """
        try:
            async with self.projection.database.begin() as connection:
                await OutdatedError.check(connection, events)
                await copy_values(connection, tables.journal, map(journal_row, events))
        except UniqueViolation:
            async with self.projection.database.begin() as connection:
                return await first_of_all(connection, events)
        return events


async def refold(projection: Projection, log: Log, until: int, advance: Advance) -> None:
    """Fold the log from the position of the projections up to the sequence `until`. Nobody else may write them.

    If this fails, they are left without a consistent position and must be emptied. Raises `Unprojectable`, and
    `OutdatedError` if the projections contain an event that is parked later. The memory needed does not grow with the
    log: it holds a few batches and at most about `MAX_STATES` states.
    """
    after = (await projection.position()).sequence
    known = await everything_erased(projection.database) if after else Erased()
    folding = BulkProjection(projection, States(blank=after == 0), known)
    async with aclosing(prefetch(_counting(folding, log, after, until))) as stretches:
        async for events, place in stretches:
            await folding.apply(events)
            advance(place, until)
    await folding.write()
    async with projection.database.begin() as connection:
        await connection.execute(reached(max(after, until)))
        # The first queries on new tables need statistics.
        await connection.execute(text(f"ANALYZE {', '.join(table.name for table in tables.VIEWS)}"))


async def _counting(
    folding: BulkProjection, log: Log, after: int, until: int
) -> AsyncGenerator[tuple[list[AnyEvent], int]]:
    """Yield the valid events of each batch, with the sequence at which the batch ends.

    The next batch is read while this one is written to the journal.
    """
    async with aclosing(prefetch(_grouped(log.read(after, until)))) as stretches:
        async for batch in stretches:
            Unprojectable.check(batch, log.subjects)
            yield await folding.first(batch.events), batch.until


async def _grouped(source: AsyncGenerator[Batch]) -> AsyncGenerator[Batch]:
    """Yield the batches, with every `FOLDED_BATCHES` of them joined to one."""
    some: list[Batch] = []
    async with aclosing(source):
        async for batch in source:
            some.append(batch)
            if len(some) == FOLDED_BATCHES:
                yield _joined(some)
                some = []
    if some:
        yield _joined(some)


def _joined(batches: Sequence[Batch]) -> Batch:
    events = tuple(event for batch in batches for event in batch.events)
    unreadable = tuple(each for batch in batches for each in batch.unreadable)
    return Batch(events, unreadable, batches[0].after, batches[-1].until)


async def prefetch(source: AsyncGenerator[T]) -> AsyncGenerator[T]:
    """Yield the items of `source`. The next item is fetched while the caller uses the present one."""

    async def made() -> T | None:
        return await anext(source, None)

    async with aclosing(source):
        coming = asyncio.create_task(made())
        try:
            while (one := await coming) is not None:
                coming = asyncio.create_task(made())
                yield one
        finally:
            coming.cancel()
            await asyncio.wait([coming])
