"""Embedders with one protocol: built-in word vectors, OpenAI and compatible servers, sentence-transformers."""
