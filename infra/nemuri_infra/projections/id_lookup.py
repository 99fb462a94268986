"""Look-up of ids by their prefix."""

from uuid import UUID

from sqlalchemy import func, select, union_all

from nemuri_contracts.abbreviated_id import Named, between
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database

_IDS = {
    "task": (tables.task.c.task_id,),
    "memory": (tables.memory.c.memory_id, tables.affect_memory.c.memory_id, tables.tier_memory.c.memory_id),
    "course": (tables.course.c.course_id,),
}


async def find_by_prefix(database: Database, of: Named, beginning: str) -> tuple[UUID | None, int]:
    """Return the first id that begins with `beginning`, and the number of such ids; `(None, 0)` if there is none.

    The primary key is scanned by range.
    """
    some = [select(column.label("id")).where(column.between(*between(beginning))) for column in _IDS[of]]
    known = union_all(*some).subquery()
    query = select(known.c.id, func.count().over()).order_by(known.c.id).limit(1)
    async with database.reading() as connection:
        found = (await connection.execute(query)).one_or_none()
    return (found[0], found[1]) if found else (None, 0)
