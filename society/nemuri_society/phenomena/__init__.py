"""Experiments with many agents, without I/O: simulated time, conversation, memes, roles, sentiments, taxes (document
002 §3, §5.1).
"""
