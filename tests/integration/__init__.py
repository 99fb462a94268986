"""Integration tests: parts of the platform on real servers."""
