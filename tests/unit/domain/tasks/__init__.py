"""Unit tests of tasks: folds and decisions."""
