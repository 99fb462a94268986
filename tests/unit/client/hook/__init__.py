"""What a coding assistant calls."""
