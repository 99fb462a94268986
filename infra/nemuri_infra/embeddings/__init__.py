"""Embedders behind one protocol: hashing, OpenAI, local sentence-transformers."""
