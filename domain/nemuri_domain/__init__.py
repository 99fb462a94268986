"""The science: pure folds and decisions, without I/O, clock or randomness of their own."""
