"""Tests of the bus."""
