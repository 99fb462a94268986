"""Tests that released contracts never change: a golden and an example of every event and query."""
