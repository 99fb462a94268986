"""Experiments on societies: agents in a grid world on a simulated clock, without a language model."""
