"""Operator commands of each memory, over the bus."""
