"""Hooks that a coding assistant calls with each prompt and at the end of a session. They take limited time and never
fail.
"""
