"""Trainer: it trains each agent's learned scorer on the memories that its tasks used, and tests it on the newest."""
