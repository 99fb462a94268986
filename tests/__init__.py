"""Tests that read as specifications."""
