"""Routing memory: the orchestrator's own memory of tasks and of the agents that did them."""
