"""Simulated societies: host processes, which run agents, and a process that runs the agents' world (document 002)."""
