"""Societies: many agents that think concurrently and live in one world (documents 002 and 004)."""
