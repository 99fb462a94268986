"""Fault tests: the platform's promises hold while processes are killed and other faults happen."""
