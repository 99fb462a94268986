"""Intake: it summarises large inputs in chunks, with references to the details, and accepts offered memories."""
