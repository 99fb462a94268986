"""Unit tests of the domain: folds, decisions, and laws (properties that hold for all inputs)."""
