"""Affective memory: turns become memories, memories come to mind, what has faded is put into fewer words."""
