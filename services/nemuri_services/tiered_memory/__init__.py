"""Tiered memory: it records, consolidates, forgets and retrieves experiences, in a pattern for each module."""
