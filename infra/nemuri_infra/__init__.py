"""Adapters for NATS, PostgreSQL and model providers. Only this package imports their drivers."""
