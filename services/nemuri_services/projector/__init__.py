"""Projector: it folds the log into the projections, and is the only writer of their tables."""
