"""Tests that no released contract changes. Every event and query has a golden (its released schema) and an example."""
