"""The log, the projections and the stores in the memory of one process, for tests and experiments without servers."""
