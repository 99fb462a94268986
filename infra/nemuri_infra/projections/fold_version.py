"""The version of the folds that built the tables, and the tables of an older one, which are replaced and not migrated.

Programs of the older version go on using their tables while the projector of this version builds new ones beside them.
"""

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from nemuri_infra.projections.database import Database, DatabaseError
from nemuri_infra.projections.projection import FOLD, read_position


async def awaits_rebuild(database: Database) -> bool:
    """Return whether an older version of the folds built the tables. False if the database does not answer."""
    try:
        async with database.reading() as connection:
            if (await connection.execute(text("SELECT to_regclass('checkpoint')"))).scalar_one() is None:
                return False
            return (await read_position(connection)).fold < FOLD
    except (DBAPIError, OSError):
        return False


async def migrate_tables(database: Database) -> None:
    """Create or migrate the tables, unless they await a rebuild. Raises `DatabaseError`."""
    if not await awaits_rebuild(database):
        await database.migrate()


async def check_tables(database: Database) -> None:
    """Raise `DatabaseError` unless the tables exist in this program's version or await a rebuild."""
    try:
        await database.check()
    except DatabaseError:
        if not await awaits_rebuild(database):
            raise
