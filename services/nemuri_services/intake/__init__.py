"""Intake: it summarises tasks, reads large documents in chunks for that, and accepts offered memories."""
