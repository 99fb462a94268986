"""The views of the log in PostgreSQL: tables, projection, queries and migrations."""
