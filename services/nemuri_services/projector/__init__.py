"""Folds the log into the views: the only writer of their tables."""
