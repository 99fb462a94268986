"""Tiered memory: it records, consolidates, forgets and retrieves experiences. Each module of an agent has its own
retrieval pattern.
"""
