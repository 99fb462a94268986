"""The cognition of a simulated agent: shared state, concurrent modules and their scheduling (document 002)."""
