"""Conversation: it reads facts from what was said to an agent, and makes them memories."""
