"""Experiments with many agents, pure: simulated time, conversation, memes, roles, sentiments, taxes (002 §3, §5.1)."""
