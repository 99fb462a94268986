"""Simulated societies: creating, running, watching and restoring them."""
