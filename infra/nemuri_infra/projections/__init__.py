"""The projections of the log in PostgreSQL: tables, projector, queries and migrations."""
