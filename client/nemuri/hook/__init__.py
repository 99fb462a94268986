"""What a coding assistant calls, with every prompt and at the end of a session; never in its way."""
