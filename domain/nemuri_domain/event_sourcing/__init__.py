"""Event-sourcing basics shared by all aggregates: row models, deduplication, erasure."""
