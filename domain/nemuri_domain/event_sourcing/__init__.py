"""Event-sourcing basics that every aggregate shares: rows as values, deduplication, erasure."""
