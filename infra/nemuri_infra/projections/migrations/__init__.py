"""Alembic migrations of the views."""
