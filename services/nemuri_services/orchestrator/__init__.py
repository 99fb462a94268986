"""Orchestrator: it routes tasks by their summary alone, and completes them."""
