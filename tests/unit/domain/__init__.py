"""Unit tests of the domain: folds, decisions and laws."""
