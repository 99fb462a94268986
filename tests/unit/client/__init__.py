"""Tests of the face without servers."""
