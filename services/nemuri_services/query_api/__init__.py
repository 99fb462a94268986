"""Results to waiting clients, and answers about what the views hold."""
