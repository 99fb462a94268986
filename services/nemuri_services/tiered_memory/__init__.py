"""Tiered memory: it records, consolidates, forgets and retrieves experiences, with a retrieval pattern per module."""
