"""Unit tests. They need no server; their only I/O is files."""
