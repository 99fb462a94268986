"""Moving in and out: memories and conversations from the files of other products, and an agent's memories as a file."""
