"""Projection of new events as they come: with the states in memory, and one statement per batch."""

from dataclasses import dataclass, field
from typing import Any, get_args

import orjson
from sqlalchemy import text

from nemuri_contracts.agents import MemoriesEmbedded
from nemuri_contracts.event import Event
from nemuri_contracts.parked_events import EventParked
from nemuri_domain.education.course import CourseEvent
from nemuri_domain.event_sourcing.deduplication import first_of_each
from nemuri_domain.event_sourcing.erasure import TOMBSTONES
from nemuri_infra.bus.event_log import Batch
from nemuri_infra.projections import tables
from nemuri_infra.projections.erasure import erased_keys
from nemuri_infra.projections.fold_states import States
from nemuri_infra.projections.projection import FOLD, Projection, journal_record, vector_rows
from nemuri_infra.projections.write_function import WRITTEN, RefusedBatchError, WriteCondition, write_batch

MAX_STATES = 5_000
"""Maximum number of tasks and memories whose states stay in memory between two batches."""
_CAREFUL: tuple[type[Event], ...] = (*TOMBSTONES, EventParked, MemoriesEmbedded, *get_args(CourseEvent))
"""Events that change more than the rows of their states."""
_POSITION = text("SELECT sequence, fold, to_regclass('memory_state')::oid::bigint AS tables FROM checkpoint")


@dataclass(slots=True)
class LiveProjection:
    """A projection that keeps the states of the newest batches in memory, because usually only it writes them.

    It assumes that every event is new and effective. If the database refuses a batch because this is wrong, or because
    something else has written meanwhile, the batch is applied by `Projection.apply`.
    """

    projection: Projection
    _states: States = field(default_factory=States)
    _at: WriteCondition | None = None
    """State of the projections after the last batch; None if it must be read."""

    async def apply(self, batch: Batch) -> int:
        """Fold the new events of the batch and return the new position. Raises the errors of `Projection.apply`."""
        try:
            if not any(isinstance(each, _CAREFUL) for each in batch.events) and await self._write(batch):
                return batch.until
        except RefusedBatchError:
            pass
        except BaseException:
            self._forget()
            raise
        self._forget()
        return await self.projection.apply(batch)

    def _forget(self) -> None:
        self._states.forget()
        self._at = None

    async def _write(self, batch: Batch) -> bool:
        """Write the batch in one statement. Return False if it needs `Projection.apply`."""
        here = self._at or await self._position()
        if here is None or here.fold != FOLD or here.after != batch.after:
            return False
        events = list(first_of_each(batch.events))
        vectors = await self.projection.encoded_vectors(events)
        async with self.projection.database.reading() as connection:
            contents = await self._states.fold(connection, events)
            rows: dict[str, list[Any]] = {tables.journal.name: [journal_record(each) for each in events]}
            rows[tables.memory.name] = [each.model_dump(mode="json") for each in contents]
            for table, changes in self._states.changes():
                if changes and (table not in WRITTEN or any(new is None for _, new in changes)):
                    return False
                rows[table.name] = [new.model_dump(mode="json") for _, new in changes if new is not None]
            rows[tables.memory_vector.name] = [
                {**each, "vector": _text(each["vector"])} for each in vector_rows(events, contents, vectors)
            ]
            filled = {str(name): each for name, each in rows.items() if each or name == tables.journal.name}
            await write_batch(connection, here, batch.until, sorted(erased_keys(events)), filled)
        self._states.settle()
        if self._states.size > MAX_STATES:
            self._states.forget()
        self._at = WriteCondition(here.tables, batch.until, here.fold)
        return True

    async def _position(self) -> WriteCondition | None:
        async with self.projection.database.reading() as connection:
            row = (await connection.execute(_POSITION)).one_or_none()
        return None if row is None else WriteCondition(row.tables, row.sequence, row.fold)


def _text(vector: Any) -> str:
    """Return a vector in PostgreSQL's text form."""
    return orjson.dumps(vector, option=orjson.OPT_SERIALIZE_NUMPY).decode()
