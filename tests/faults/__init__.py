"""Fault tests: the platform keeps its promises while processes are killed and other faults happen."""
