"""Trainer: it trains each agent's learned scorer on past uses of memories, and tests it on the newest tasks."""
