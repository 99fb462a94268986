"""Experiments that test the project's claims: agents in memory process streams of tasks, and results are measured."""
