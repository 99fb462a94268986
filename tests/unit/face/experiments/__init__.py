"""The experiments in memory."""
