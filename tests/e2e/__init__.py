"""The platform as people use it: through the console script."""
