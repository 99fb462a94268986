"""What crosses the bus: events, subjects, questions and reports; imports nothing of the project."""
