"""The oldest task that has not ended."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text

from nemuri_infra.projections.database import Database

_OLDEST = text(
    """
    -- The first event of all tasks that have not ended.
    SELECT task_id, sequence FROM journal
    WHERE task_id IN (SELECT task_id FROM task WHERE status NOT IN ('done', 'failed'))
    ORDER BY sequence LIMIT 1
    """
)


@dataclass(frozen=True, slots=True)
class OpenTask:
    """A task that has not ended."""

    task_id: UUID
    first: int
    """Sequence of its first event."""


async def oldest_open_task(database: Database) -> OpenTask | None:
    """Return the task with the oldest first event of those that have not ended; None if all have."""
    async with database.reading() as connection:
        row = (await connection.execute(_OLDEST)).one_or_none()
    return None if row is None else OpenTask(row.task_id, row.sequence)
