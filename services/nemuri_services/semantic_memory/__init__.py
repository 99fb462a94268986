"""Semantic memory: after a sleep, settled memories that say the same become one memory that keeps its sources."""
