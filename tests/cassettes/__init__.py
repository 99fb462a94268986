"""Recorded requests and replies of every job of a model, on the wire formats of both providers."""
