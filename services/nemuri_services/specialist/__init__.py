"""One assignment, one session: retrieve, fetch the details that matter, answer with citations."""
