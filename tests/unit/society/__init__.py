"""Tests of societies without servers."""
