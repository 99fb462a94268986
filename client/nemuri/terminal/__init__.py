"""Output on a terminal, and plots."""
