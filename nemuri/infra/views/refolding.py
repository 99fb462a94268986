"""Views made from the whole log at once, into tables that nobody uses yet: folded in memory, copied in bulk."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from psycopg.errors import UniqueViolation
from sqlalchemy import text
from sqlalchemy.dialects.postgresql import insert

from nemuri.contracts.log import AnyEvent
from nemuri.domain.deliveries import first_of_each
from nemuri.domain.erasure import TOMBSTONES, Erased
from nemuri.infra.log import Log
from nemuri.infra.views import tables
from nemuri.infra.views.courses import fold_courses
from nemuri.infra.views.erasing import erase
from nemuri.infra.views.folding import States
from nemuri.infra.views.projection import FOLD, VIEW, Projection, Unprojectable, first_of_all, journal_rows, vector_rows
from nemuri.infra.views.rows import copy, copy_values, write

WRITTEN = 20_000
"""Events after which what became of tasks and minds is written."""
HELD = 50_000
"""Tasks and memories that are held on beyond that, at most; where there are more, all are read again when needed."""

Advance = Callable[[int, int], None]
"""Told how far a long work is: what is done of how much."""


@dataclass(slots=True)
class Refolding:
    """A projection into empty tables."""

    projection: Projection
    states: States = field(default_factory=lambda: States(blank=True))
    erased: Erased = field(default_factory=Erased)
    pending: int = 0

    async def apply(self, events: Sequence[AnyEvent]) -> None:
        """Fold a stretch of events that count; the tables know of tasks and minds only after `write`."""
        vectors = await self.projection.encoded_vectors(events)
        async with self.projection.database.begin() as connection:
            await copy(connection, tables.memory, await self.states.fold(connection, events))
            await fold_courses(connection, events)
            rows = [tuple(row.values()) for row in vector_rows(events, vectors)]
            await copy_values(connection, tables.memory_vector, rows, types=("text", "uuid", "text", "vector"))
            await self.projection.write_generations(connection, events)
        self.pending += len(events)
        if any(isinstance(each, TOMBSTONES) for each in events):
            await self._erase(events)
        elif self.pending >= WRITTEN:
            await self.write()

    async def _erase(self, events: Sequence[AnyEvent]) -> None:
        """Remove the rows that tombstones erased: all are written first, and nothing is held on to."""
        await self.write()
        self.states.settle()
        async with self.projection.database.begin() as connection:
            await erase(connection, events)

    async def write(self) -> None:
        """Bring the tables up to what was folded."""
        async with self.projection.database.begin() as connection:
            for table, changes in self.states.changes():
                await copy(connection, table, [new for old, new in changes if old is None])
                await write(connection, table, [new for old, new in changes if old is not None])
        self.states.settle(keep=HELD)
        self.pending = 0

    async def first(self, events: Sequence[AnyEvent]) -> list[AnyEvent]:
        """The first of each id in the whole log that no tombstone before it absorbs; stretches are asked in order."""
        found = await self._journaled([*first_of_each(events, self.erased)])
        self.erased |= Erased.by(found)
        return found

    async def _journaled(self, events: Sequence[AnyEvent]) -> list[AnyEvent]:
        """Those that are not in the journal yet; that one is there already is rare, and then found out slowly."""
        rows = journal_rows(events)
        try:
            async with self.projection.database.begin() as connection:
                await copy_values(connection, tables.journal, [tuple(row.values()) for row in rows])
        except UniqueViolation:
            async with self.projection.database.begin() as connection:
                return await first_of_all(connection, events)
        accepted = {row["sequence"] for row in rows}
        return [each for each in events if each.sequence in accepted]


async def refold(projection: Projection, log: Log, until: int, advance: Advance) -> None:
    """Fold the log up to a place into empty views; raises `Unprojectable`.

    Memory holds two stretches of the log, and of the states what `WRITTEN` and `HELD` allow, however long the log is.
    """
    folding = Refolding(projection)
    async with aclosing(_counting(folding, log, until)) as stretches:
        async for events, place in stretches:
            await folding.apply(events)
            advance(place, until)
    await folding.write()
    async with projection.database.begin() as connection:
        await connection.execute(insert(tables.checkpoint).values(view=VIEW, sequence=until, fold=FOLD))
        # Whoever reads fresh tables first is not to find them without statistics.
        await connection.execute(text(f"ANALYZE {', '.join(table.name for table in tables.VIEWS)}"))


async def _counting(folding: Refolding, log: Log, until: int) -> AsyncGenerator[tuple[list[AnyEvent], int]]:
    """The events that count, stretch by stretch: the journal takes the next one in while one is folded."""
    ahead: asyncio.Task[list[AnyEvent]] | None = None
    place = 0
    try:
        async for batch in log.read(0, until):
            Unprojectable.check(batch, log.subjects)
            known, here = await ahead if ahead else [], place
            ahead, place = asyncio.create_task(folding.first(batch.events)), batch.until
            yield known, here
        yield await ahead if ahead else [], place
    finally:
        if ahead is not None and not ahead.done():
            ahead.cancel()
            await asyncio.wait([ahead])
