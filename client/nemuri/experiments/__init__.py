"""Experiments on the project's claims: agents in memory process streams of tasks, and the results are measured."""
