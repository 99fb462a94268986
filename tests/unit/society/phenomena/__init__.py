"""Tests of the society simulation and its measures."""
