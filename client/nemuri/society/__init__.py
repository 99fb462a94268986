"""Societies of agents: begun, run in processes of their own, watched, gone back to a checkpoint."""
