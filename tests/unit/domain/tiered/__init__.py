"""Tests of tiered memory."""
