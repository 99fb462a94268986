"""Alembic's entry point. It runs the migrations on the given connection."""

from alembic import context

from nemuri_infra.projections.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table="schema_version",
    version_table_schema=context.config.attributes["schema"],
)
with context.begin_transaction():
    context.run_migrations()
