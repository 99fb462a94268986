"""The HTTP API under /api/v1, for programs without a NATS connection."""
