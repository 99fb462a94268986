"""Embedders with one protocol: hashing, OpenAI and compatible servers, and local sentence-transformers."""
