"""Benchmarks: one script for each quoted figure. Each script's docstring says how to run it."""
