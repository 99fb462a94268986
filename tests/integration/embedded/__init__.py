"""Tests of the embedded servers, which are started from wheels."""
