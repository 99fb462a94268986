"""Readers for files that users provide: documents, agent definitions, memories and textbooks."""
