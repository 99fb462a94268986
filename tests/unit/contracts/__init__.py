"""Unit tests of the contracts."""
