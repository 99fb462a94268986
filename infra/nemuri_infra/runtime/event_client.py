"""The client in whose name an event is handled. Each client gets its share of a worker's slots."""

from dataclasses import dataclass, field
from uuid import UUID

from cachetools import LRUCache
from sqlalchemy import select

from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.event import ClientEvent, Event
from nemuri_infra.errors.database_errors import OUTAGES
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database

MAX_CACHED_TASKS = 10_000
"""Maximum number of tasks whose client one process caches."""


@dataclass(slots=True)
class ClientCache:
    """A cache of the client that submitted each task."""

    known: LRUCache[UUID, str] = field(default_factory=lambda: LRUCache(MAX_CACHED_TASKS))

    async def of(self, event: Event, database: Database, *, look: bool) -> str:
        """Return the name under which an event takes a slot: its client, if that is known.

        That is the client in the event itself, or the client that submitted its task. With `look`, a client that is not
        cached is read from the projections. If the task's client is not found, `task ID` is returned; for an event
        without a task, `agent ID`. Never raises: without an answer of the database the client counts as not found.
        """
        if isinstance(event, ClientEvent):
            if isinstance(event, TaskSubmitted):
                self.known[event.event_id] = event.client_id
            return event.client_id
        task_id = event.thread
        if task_id is None:
            return f"agent {event.agent_id}"
        found = self.known.get(task_id)
        if found is None and look:
            found = await _client(task_id, database)
            if found is not None:
                self.known[task_id] = found
        return found or f"task {task_id}"


async def _client(task_id: UUID, database: Database) -> str | None:
    query = select(tables.task.c.client_id).where(tables.task.c.task_id == task_id)
    try:
        async with database.reading() as connection:
            found: str | None = (await connection.execute(query)).scalar_one_or_none()
    except OUTAGES:
        return None
    return found
