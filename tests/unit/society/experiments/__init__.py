"""Unit tests of the experiments on societies."""
