"""Embedded servers: nats-server, and PostgreSQL with pgvector. Their programs are installed as wheels."""
