"""Tests of the embedded servers, whose programs come from Python wheels."""
