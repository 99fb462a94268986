"""Nemuri: agents that remember by use and forget by sleeping."""
