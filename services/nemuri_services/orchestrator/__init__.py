"""Orchestrator: it chooses the agents for each task from the task's summary alone, and completes the task."""
