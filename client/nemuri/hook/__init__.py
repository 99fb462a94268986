"""Hooks that a coding assistant calls with each prompt and at the end of a session. They never block or fail it."""
