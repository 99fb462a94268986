"""Unit tests of the experiments."""
