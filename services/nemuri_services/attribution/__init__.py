"""What was really used, what is learned from it, and what feedback is worth."""
