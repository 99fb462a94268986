"""End-to-end tests through the console script."""
