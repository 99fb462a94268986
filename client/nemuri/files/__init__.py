"""Readers for files that users provide: documents, agent definitions, messages and textbooks."""
