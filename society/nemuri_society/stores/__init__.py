"""The stored states of societies."""
