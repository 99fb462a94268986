"""Webhooks on real servers: events reach receivers over real HTTP."""
