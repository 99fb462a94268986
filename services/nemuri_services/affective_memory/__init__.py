"""Affective memory: it encodes turns, retrieves memories for a prompt, and compresses memories that have faded."""
