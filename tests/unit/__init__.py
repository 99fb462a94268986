"""Tests without any I/O but files."""
