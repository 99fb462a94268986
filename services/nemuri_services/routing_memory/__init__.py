"""What the orchestrator remembers of tasks, in a mind of its own."""
