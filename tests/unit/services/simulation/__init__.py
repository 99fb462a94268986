"""Tests of societies."""
