"""Alembic migrations of the projections."""
