"""Benchmarks: one script for each measured figure. Each script's docstring says how to run it."""
