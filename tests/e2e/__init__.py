"""End-to-end tests: they run the console script `nemuri` against real servers."""
