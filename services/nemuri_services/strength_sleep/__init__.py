"""Consolidation, fading, archive and pruning, serialised for each agent."""
