"""Societies of agents that think at several speeds at once: hosts run agents, a process runs their world (002)."""
