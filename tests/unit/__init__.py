"""Unit tests. They need no server and use no I/O but files."""
