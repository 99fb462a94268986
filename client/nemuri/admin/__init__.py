"""Commands of operators over the bus: define agents, change their memories and policies, and handle dead letters."""
