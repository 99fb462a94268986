"""Tests of the simulation service."""
