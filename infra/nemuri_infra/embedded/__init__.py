"""Embedded servers started from wheels: nats-server and PostgreSQL with pgvector."""
