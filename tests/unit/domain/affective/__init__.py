"""Tests of affective memory."""
