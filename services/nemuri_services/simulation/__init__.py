"""Simulated societies: hosts that run agents, and a process that runs their world (document 002)."""
