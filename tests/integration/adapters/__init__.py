"""Tests of the adapters on a platform in memory, with models on the loopback."""
