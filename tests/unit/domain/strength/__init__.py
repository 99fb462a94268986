"""Unit tests of strength memory."""
