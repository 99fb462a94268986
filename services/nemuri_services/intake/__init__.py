"""Intake: it summarises tasks, reads large documents in chunks, and accepts offered memories."""
