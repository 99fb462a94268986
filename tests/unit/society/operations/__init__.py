"""Tests of the grid world."""
