"""Tests of the window against real servers."""
