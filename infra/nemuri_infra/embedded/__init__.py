"""Embedded servers whose programs are installed as wheels: nats-server and PostgreSQL with pgvector."""
