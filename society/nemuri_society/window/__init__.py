"""The pages of societies in the window."""
