"""Retrieval indexes and topics of agents, cached in each process."""
