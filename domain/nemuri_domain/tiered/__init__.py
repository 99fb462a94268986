"""Tiered memory without I/O: working, short-term and long-term memory, and consolidation (document 004)."""
