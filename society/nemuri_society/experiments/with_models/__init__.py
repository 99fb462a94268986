"""Experiments on societies with a language model: real modules, memories, hosts and world; measured from the record."""
