"""Creation of the projections' schema, from the tables alone."""

from functools import cache

from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement, SetTableComment

from nemuri_infra.projections.state_tables import metadata
from nemuri_infra.projections.tables import memory_vector, retrieval_index
from nemuri_infra.projections.write_function import create_function


@cache
def creation() -> str:
    """Return the statements that create all tables, indexes and functions in an empty schema.

    They are one text, so that they need one round trip.
    """
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    tables = metadata.sorted_tables
    made = [CreateTable(table) for table in tables]
    indexes = [CreateIndex(index) for table in tables for index in sorted(table.indexes, key=lambda one: str(one.name))]
    comments = [SetTableComment(table) for table in tables]
    elements: list[ExecutableDDLElement] = [*made, *indexes, *comments]
    statements = [str(element.compile(dialect=dialect)) for element in elements]
    return ";".join((*statements, *_further()))


def _further() -> list[str]:
    """Return the statements for what SQLAlchemy has no words for."""
    vectors, indexes = memory_vector.name, retrieval_index.name
    return [
        # Otherwise wide vectors are stored out of line and read three times slower.
        f"ALTER TABLE {vectors} ALTER COLUMN vector SET STORAGE PLAIN",
        # The data is hardly compressible.
        f"ALTER TABLE {indexes} ALTER COLUMN data SET STORAGE EXTERNAL",
        # Services write it, also those whose role may only read the projections.
        f"GRANT SELECT, INSERT, UPDATE ON {indexes} TO PUBLIC",
        create_function(),
    ]
