"""Tasks: the fold, and decisions on chunks, negotiation, routing, panels, attempts and feedback."""
