"""The life of a task as a fold: chunks, negotiation, assignments, attempts and its end."""
