"""The experiments on societies."""
