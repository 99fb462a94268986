"""Specialist: for an assignment it retrieves memories, reads the relevant details, and answers with citations."""
