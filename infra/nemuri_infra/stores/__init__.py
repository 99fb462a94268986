"""Stores beside the log on its server: inputs, vectors, results, delivery attempts, dead letters, timers. None is a
source of facts.
"""
