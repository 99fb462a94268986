"""The in-process index of an agent's memories, by row: what all three memories search."""
