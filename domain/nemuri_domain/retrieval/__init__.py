"""Retrieval: the index of an agent's memories in process, which all three memories search; the ranking of passages."""
